/// The media type of a body, such as `text/html; charset=utf-8`.
public struct MediaType: Sendable, Hashable, CustomStringConvertible {
  /// The part before the slash, in lower case.
  public let type: String
  /// The part after the slash, in lower case.
  public let subtype: String
  /// The parameters, with names in lower case, in order. If a name occurs twice, the first one counts.
  public let parameters: [Parameter]

  /// A parameter of a media type.
  public struct Parameter: Sendable, Hashable {
    /// The name, in lower case.
    public let name: String
    /// The value, not quoted.
    public let value: String
  }

  /// Parses the value of `Content-Type` (RFC 9110, 8.3.1). Invalid parameters are dropped, as in browsers.
  ///
  /// - Returns: nil if the type or subtype is missing or is not a token.
  public init?(_ text: String) {
    var scanner = MediaTypeScanner(text)
    scanner.skipSpace()
    guard let type = scanner.token(), scanner.skip(UInt8(ascii: "/")), let subtype = scanner.token() else { return nil }
    scanner.skipSpace()
    guard scanner.isAtEnd || scanner.isAt(UInt8(ascii: ";")) else { return nil }
    self.type = type.lowercased()
    self.subtype = subtype.lowercased()
    var parameters: [Parameter] = []
    while scanner.skipToParameter() {
      guard let name = scanner.token()?.lowercased(), scanner.skip(UInt8(ascii: "=")),
        let value = scanner.quoted() ?? scanner.token(), !parameters.contains(where: { $0.name == name })
      else { continue }
      parameters.append(Parameter(name: name, value: value))
    }
    self.parameters = parameters
  }

  /// Returns the value of a parameter.
  ///
  /// - Parameter name: The name, in lower case.
  /// - Returns: The value; nil if there is no such parameter.
  public func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// The type without its parameters, as in `text/html`.
  public var essence: String { "\(type)/\(subtype)" }

  /// Whether the body is JSON: `application/json`, `text/json`, or a type that ends in `+json`.
  public var isJSON: Bool {
    subtype == "json" && (type == "application" || type == "text") || subtype.hasSuffix("+json")
  }

  /// The type with its parameters.
  public var description: String {
    parameters.reduce(essence) { text, parameter in
      let isToken = !parameter.value.isEmpty && parameter.value.utf8.allSatisfy(MediaTypeScanner.isTokenByte)
      let escaped = parameter.value.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
      return text + "; \(parameter.name)=" + (isToken ? parameter.value : "\"\(String(escaped))\"")
    }
  }

  /// Arbitrary bytes.
  public static let octetStream = MediaType(known: "application", "octet-stream")
  /// JSON.
  public static let json = MediaType(known: "application", "json")
  /// Text in UTF-8.
  public static let text = MediaType(known: "text", "plain", [Parameter(name: "charset", value: "utf-8")])

  private init(known type: String, _ subtype: String, _ parameters: [Parameter] = []) {
    self.type = type
    self.subtype = subtype
    self.parameters = parameters
  }
}

/// A pattern of accepted media types: `application/json`, `text/*`, `*/*`, `application/*+json`.
public struct MediaTypePattern: Sendable, Hashable, CustomStringConvertible {
  private let type: String
  private let subtype: String
  private let suffix: String?

  /// Parses a pattern.
  ///
  /// - Returns: nil if the text is not a pattern. Patterns have no parameters.
  public init?(_ text: String) {
    let halves = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let (type, subtype) = (String(halves[0]), String(halves[1]))
    let isWord = { (word: String) in
      !word.isEmpty && word.utf8.allSatisfy { MediaTypeScanner.isTokenByte($0) && $0 != UInt8(ascii: "*") }
    }
    guard type == "*" && subtype == "*" || isWord(type) else { return nil }
    self.type = type
    if subtype.hasPrefix("*+") {
      let suffix = String(subtype.dropFirst(1))
      guard isWord(suffix) else { return nil }
      self.subtype = "*"
      self.suffix = suffix
    } else {
      guard subtype == "*" || isWord(subtype) else { return nil }
      self.subtype = subtype
      suffix = nil
    }
  }

  /// Returns whether a media type is accepted, ignoring its parameters.
  public func matches(_ mediaType: MediaType) -> Bool {
    guard type == "*" || type == mediaType.type else { return false }
    if let suffix { return mediaType.subtype.hasSuffix(suffix) }
    return subtype == "*" || subtype == mediaType.subtype
  }

  /// The pattern, in lower case.
  public var description: String { "\(type)/\(subtype)\(suffix ?? "")" }
}

/// Scans the tokens of `Content-Type`.
struct MediaTypeScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  var isAtEnd: Bool { position == bytes.count }

  func isAt(_ byte: UInt8) -> Bool { position < bytes.count && bytes[position] == byte }

  mutating func skipSpace() {
    while isAt(0x20) || isAt(0x09) { position += 1 }
  }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard isAt(byte) else { return false }
    position += 1
    return true
  }

  /// Skips past the next `;` and any white space after it. Returns false if there is none.
  mutating func skipToParameter() -> Bool {
    while position < bytes.count, bytes[position] != UInt8(ascii: ";") { position += 1 }
    guard skip(UInt8(ascii: ";")) else { return false }
    skipSpace()
    return true
  }

  mutating func token() -> String? {
    let start = position
    while position < bytes.count, Self.isTokenByte(bytes[position]) { position += 1 }
    return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
  }

  mutating func quoted() -> String? {
    guard isAt(UInt8(ascii: "\"")) else { return nil }
    var text: [UInt8] = []
    var next = position + 1
    while next < bytes.count {
      let byte = bytes[next]
      next += 1
      if byte == UInt8(ascii: "\"") {
        position = next
        return String(decoding: text, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\"), next < bytes.count {
        text.append(bytes[next])
        next += 1
      } else {
        text.append(byte)
      }
    }
    return nil
  }
}
