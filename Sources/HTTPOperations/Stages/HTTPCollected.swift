public import Operations

/// Collects the body in memory and makes a value of it.
public struct HTTPCollected<Value: Sendable>: HTTPResultProcessor {
  /// Makes the value.
  public typealias Transform = @Sendable (HTTPTransferResult) async throws -> Value

  private struct Sink: HTTPResultSink {
    let transform: Transform

    func finish(_ result: HTTPTransferResult) async throws -> Value { try await transform(result) }
  }

  private let transform: Transform

  /// A processor that does what `transform` does. What that throws is the outcome, and is not tried again by default.
  public init(_ transform: @escaping Transform) {
    self.transform = transform
  }

  /// Nothing has to be prepared.
  public func begin(
    _ request: inout HTTPTransferRequest, in context: OperationContext
  ) async throws -> any HTTPResultSink<Value> {
    Sink(transform: transform)
  }

  /// Makes another value of this one's.
  public func map<Other: Sendable>(
    _ body: @escaping @Sendable (Value) async throws -> Other
  ) -> HTTPCollected<Other> {
    HTTPCollected<Other> { [transform] in try await body(transform($0)) }
  }
}

extension HTTPResultProcessor where Self == HTTPCollected<HTTPTransferResult> {
  /// The whole response.
  public static var response: Self { HTTPCollected { $0 } }
}

extension HTTPResultProcessor where Self == HTTPCollected<[UInt8]> {
  /// The body, as it is.
  public static var data: Self { HTTPCollected { $0.body } }
}

extension HTTPResultProcessor where Self == HTTPCollected<String> {
  /// The body as text of the charset that its media type declares.
  public static var text: Self { text() }

  /// The body as text of the charset that its media type declares, or else of `fallback`.
  ///
  /// A byte order mark counts more than a declaration, as in browsers.
  public static func text(fallback: TextEncoding = .utf8) -> Self {
    HTTPCollected { result in try HTTPBodyText.decode(result, fallback: fallback) }
  }
}

/// Decodes values from bytes. Where Foundation is used anyway:
///
/// ```swift
/// extension JSONDecoder: @retroactive HTTPBodyDecoder {
///   public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
///     try decode(type, from: Data(bytes))
///   }
/// }
/// ```
public protocol HTTPBodyDecoder: Sendable {
  /// The value that `bytes` are.
  func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T
}

extension HTTPResultProcessor {
  /// The body as a value of a `Decodable` type.
  public static func decoded<T: Decodable & Sendable>(
    _ type: T.Type = T.self, by decoder: some HTTPBodyDecoder
  ) -> Self where Self == HTTPCollected<T> {
    HTTPCollected { result in
      do {
        return try decoder.decode(type, from: result.body)
      } catch {
        throw HTTPResultError(.undecodable, "the body is no \(type): \(error)")
      }
    }
  }
}

/// Reads bodies as text.
public enum HTTPBodyText {
  /// The body as text of the charset that its media type declares, or else of `fallback`.
  ///
  /// - Throws: ``HTTPResultError`` of code `bad-text` or `unknown-charset`.
  public static func decode(_ result: HTTPTransferResult, fallback: TextEncoding = .utf8) throws -> String {
    var encoding = fallback
    if let charset = result.head.fields[.contentType].flatMap({ MediaType($0) })?.parameter("charset") {
      guard let declared = TextEncoding(charset: charset) else {
        let known = TextEncoding.allCases.map(\.rawValue).joined(separator: ", ")
        throw HTTPResultError(
          .unknownCharset, "the charset of the body, '\(charset.prefix(40))', is none of \(known)")
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
