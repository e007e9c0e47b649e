public import Operations

/// Collects the body in memory and converts it to a value.
public struct HTTPCollected<Value: Sendable>: HTTPResultProcessor {
  /// Converts the response to a value.
  public typealias Transform = @Sendable (HTTPTransferResult) async throws -> Value

  private struct Sink: HTTPResultSink {
    let transform: Transform

    func finish(_ result: HTTPTransferResult) async throws -> Value { try await transform(result) }
  }

  private let transform: Transform

  /// Creates a processor that calls `transform`. An error that it throws is the outcome, and is not retried by default.
  public init(_ transform: @escaping Transform) {
    self.transform = transform
  }

  /// Returns a sink without changing the request.
  public func begin(
    _ request: inout HTTPTransferRequest, in context: OperationContext
  ) async throws -> any HTTPResultSink<Value> {
    Sink(transform: transform)
  }

  /// Returns a processor that converts this one's value to another.
  public func map<Other: Sendable>(
    _ body: @escaping @Sendable (Value) async throws -> Other
  ) -> HTTPCollected<Other> {
    HTTPCollected<Other> { [transform] in try await body(transform($0)) }
  }
}

extension HTTPResultProcessor where Self == HTTPCollected<HTTPTransferResult> {
  /// Returns the whole response.
  public static var response: Self { HTTPCollected { $0 } }
}

extension HTTPResultProcessor where Self == HTTPCollected<[UInt8]> {
  /// Returns the body unchanged.
  public static var data: Self { HTTPCollected { $0.body } }
}

extension HTTPResultProcessor where Self == HTTPCollected<String> {
  /// Returns the body as text in the charset that its media type declares.
  public static var text: Self { text() }

  /// Returns the body as text in the charset that its media type declares, or otherwise in `fallback`.
  ///
  /// A byte order mark takes precedence over the declaration, as in browsers.
  public static func text(fallback: TextEncoding = .utf8) -> Self {
    HTTPCollected { result in try HTTPBodyText.decode(result, fallback: fallback) }
  }
}

/// Decodes values from bytes. In a project that uses Foundation anyway:
///
/// ```swift
/// extension JSONDecoder: @retroactive HTTPBodyDecoder {
///   public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
///     try decode(type, from: Data(bytes))
///   }
/// }
/// ```
public protocol HTTPBodyDecoder: Sendable {
  /// Decodes a value from `bytes`.
  func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T
}

extension HTTPResultProcessor {
  /// Returns the body as a value of a `Decodable` type.
  public static func decoded<T: Decodable & Sendable>(
    _ type: T.Type = T.self, by decoder: some HTTPBodyDecoder
  ) -> Self where Self == HTTPCollected<T> {
    HTTPCollected { result in
      do {
        return try decoder.decode(type, from: result.body)
      } catch {
        throw HTTPResultError(.undecodable, "the body is not valid \(type): \(error)")
      }
    }
  }
}

/// Decodes bodies as text.
public enum HTTPBodyText {
  /// Decodes the body as text in the charset that its media type declares, or otherwise in `fallback`.
  ///
  /// - Throws: ``HTTPResultError`` of code `bad-text` or `unknown-charset`.
  public static func decode(_ result: HTTPTransferResult, fallback: TextEncoding = .utf8) throws -> String {
    var encoding = fallback
    if let charset = result.head.fields[.contentType].flatMap({ MediaType($0) })?.parameter("charset") {
      guard let declared = TextEncoding(charset: charset) else {
        let known = TextEncoding.allCases.map(\.rawValue).joined(separator: ", ")
        throw HTTPResultError(
          .unknownCharset, "the charset of the body, '\(charset.prefix(40))', is not one of \(known)")
      }
      encoding = declared
    }
    if result.body.starts(with: [0xEF, 0xBB, 0xBF]) { encoding = .utf8 }
    guard let text = encoding.decode(result.body) else {
      throw HTTPResultError(.badText, "the body is not \(encoding.rawValue)")
    }
    return text
  }
}
