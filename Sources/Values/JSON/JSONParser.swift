import OrderedCollections

extension JSONValue {
  /// Parses a single JSON value (RFC 8259) that spans all of `bytes`.
  ///
  /// Whole numbers that fit 64 bits become `.int`, all others `.double`. If several members have the same name, the last one is kept.
  /// - Throws: `JSONError` for anything that is not JSON, for invalid UTF-8, for numbers beyond the range of a double, and for more than
  ///   512 levels of nesting.
  public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes: bytes.bindMemory(to: UInt8.self))
    return try parser.document()
  }

  /// Parses a single JSON value that spans all of `bytes`.
  ///
  /// - Throws: `JSONError` for anything that is not JSON; see the overload for raw bytes.
  public static func parse(_ bytes: some Collection<UInt8>) throws(JSONError) -> JSONValue {
    if let result = bytes.withContiguousStorageIfAvailable({ parsed(UnsafeRawBufferPointer($0)) }) {
      return try result.get()
    }
    return try Array(bytes).withUnsafeBytes { parsed($0) }.get()
  }

  /// Parses a single JSON value that spans all of `text`.
  ///
  /// - Throws: `JSONError` for anything that is not JSON; see the overload for raw bytes.
  public static func parse(_ text: String) throws(JSONError) -> JSONValue {
    var text = text
    return try text.withUTF8 { parsed(UnsafeRawBufferPointer($0)) }.get()
  }

  private static func parsed(_ bytes: UnsafeRawBufferPointer) -> Result<JSONValue, JSONError> {
    do throws(JSONError) { return .success(try parse(bytes)) } catch { return .failure(error) }
  }
}

/// A parser that makes one pass over the bytes of a JSON text.
private struct JSONParser {
  /// The deepest nesting allowed; without a limit, hostile texts could exhaust the stack.
  static let maximumDepth = 512

  let bytes: UnsafeBufferPointer<UInt8>
  var at = 0

  mutating func document() throws(JSONError) -> JSONValue {
    skipSpace()
    let value = try value(depth: 0)
    skipSpace()
    guard at == bytes.count else { throw JSONError("unexpected \(found) after the value", offset: at) }
    return value
  }

  private var current: UInt8? { at < bytes.count ? bytes[at] : nil }

  /// A description of the current byte, for messages.
  private var found: String {
    guard let byte = current else { return "end" }
    return byte > 0x20 && byte < 0x7F
      ? "'\(Character(UnicodeScalar(byte)))'" : "byte 0x\(String(byte, radix: 16, uppercase: true))"
  }

  private mutating func skipSpace() {
    while at < bytes.count {
      switch bytes[at] {
      case 0x20, 0x0A, 0x0D, 0x09: at += 1
      default: return
      }
    }
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard let byte = current else { throw JSONError("unexpected end, expected a value", offset: at) }
    switch byte {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw JSONError("unexpected \(found), expected a value", offset: at)
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    let length = word.utf8CodeUnitCount
    for index in 0..<length {
      guard at + index < bytes.count, bytes[at + index] == word.utf8Start[index] else {
        throw JSONError("expected \(word)", offset: at)
      }
    }
    at += length
    return value
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < Self.maximumDepth else { throw JSONError("nested more than 512 levels deep", offset: at) }
    at += 1
    skipSpace()
    if current == UInt8(ascii: "]") {
      at += 1
      return .array([])
    }
    var elements: [JSONValue] = []
    elements.reserveCapacity(4)
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      switch current {
      case UInt8(ascii: ","):
        at += 1
        skipSpace()
      case UInt8(ascii: "]"):
        at += 1
        return .array(elements)
      default: throw JSONError("unexpected \(found), expected ',' or ']'", offset: at)
      }
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < Self.maximumDepth else { throw JSONError("nested more than 512 levels deep", offset: at) }
    at += 1
    skipSpace()
    if current == UInt8(ascii: "}") {
      at += 1
      return .object([:])
    }
    // Most objects have more than one member; growing from one to two would copy it.
    var members = OrderedDictionary<String, JSONValue>(minimumCapacity: 2)
    while true {
      guard current == UInt8(ascii: "\"") else {
        throw JSONError("unexpected \(found), expected a name in quotes", offset: at)
      }
      let name = try string()
      skipSpace()
      guard current == UInt8(ascii: ":") else { throw JSONError("unexpected \(found), expected ':'", offset: at) }
      at += 1
      skipSpace()
      members[name] = try value(depth: depth + 1)
      skipSpace()
      switch current {
      case UInt8(ascii: ","):
        at += 1
        skipSpace()
      case UInt8(ascii: "}"):
        at += 1
        return .object(members)
      default: throw JSONError("unexpected \(found), expected ',' or '}'", offset: at)
      }
    }
  }

  private mutating func digits() -> Int {
    let start = at
    while at < bytes.count, bytes[at] &- 48 < 10 { at += 1 }
    return at - start
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = at
    let isNegative = bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    let first = at
    let count = digits()
    guard count > 0 else { throw JSONError("unexpected \(found), expected a digit", offset: at) }
    guard count == 1 || bytes[first] != 48 else { throw JSONError("a number does not begin with 0", offset: first) }
    var isWhole = true
    if current == UInt8(ascii: ".") {
      isWhole = false
      at += 1
      guard digits() > 0 else { throw JSONError("unexpected \(found), expected a digit", offset: at) }
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      isWhole = false
      at += 1
      if current == UInt8(ascii: "-") || current == UInt8(ascii: "+") { at += 1 }
      guard digits() > 0 else { throw JSONError("unexpected \(found), expected a digit", offset: at) }
    }
    // `-0` stays a double: an integer would lose the sign.
    if isWhole, count <= 19, !(isNegative && bytes[first] == 48),
      let whole = integer(from: first, isNegative: isNegative)
    {
      return .int(whole)
    }
    guard let value = DecimalText.double(UnsafeBufferPointer(rebasing: bytes[start..<at])), value.isFinite else {
      throw JSONError("the number is too large", offset: start)
    }
    return .double(value)
  }

  /// Returns the digits from `first` to the current position as an integer, or nil if it does not fit into 64 bits.
  private func integer(from first: Int, isNegative: Bool) -> Int64? {
    // 19 digits always fit an unsigned 64-bit integer.
    var magnitude: UInt64 = 0
    for index in first..<at { magnitude = magnitude &* 10 &+ UInt64(bytes[index] &- 48) }
    if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  private mutating func string() throws(JSONError) -> String {
    at += 1
    let start = at
    var all: UInt8 = 0
    while at < bytes.count {
      let byte = bytes[at]
      all |= byte
      switch byte {
      case UInt8(ascii: "\""):
        // If no byte has its high bit set, the text is ASCII and needs no validation.
        let text =
          all < 0x80
          ? String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<at]), as: UTF8.self) : try text(start..<at)
        at += 1
        return text
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw JSONError("a control character must be written as an escape", offset: at)
      default: at += 1
      }
    }
    throw JSONError("the string is not closed", offset: start - 1)
  }

  private func text(_ range: Range<Int>) throws(JSONError) -> String {
    guard let text = String(validating: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self) else {
      throw JSONError("the string is not valid UTF-8", offset: range.lowerBound)
    }
    return text
  }

  /// Parses the rest of a string after its first escape has been found.
  private mutating func escapedString(from start: Int) throws(JSONError) -> String {
    var buffer = [UInt8](bytes[start..<at])
    while at < bytes.count {
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        guard let text = String(validating: buffer, as: UTF8.self) else {
          throw JSONError("the string is not valid UTF-8", offset: start)
        }
        return text
      case UInt8(ascii: "\\"):
        at += 1
        try escape(into: &buffer)
      case 0..<0x20: throw JSONError("a control character must be written as an escape", offset: at)
      default:
        buffer.append(byte)
        at += 1
      }
    }
    throw JSONError("the string is not closed", offset: start - 1)
  }

  private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
    guard let byte = current else { throw JSONError("unexpected end in a string", offset: at) }
    let place = at - 1
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
    case UInt8(ascii: "b"): buffer.append(0x08)
    case UInt8(ascii: "f"): buffer.append(0x0C)
    case UInt8(ascii: "n"): buffer.append(0x0A)
    case UInt8(ascii: "r"): buffer.append(0x0D)
    case UInt8(ascii: "t"): buffer.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if code & 0xFC00 == 0xD800 {
        guard current == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u") else {
          throw JSONError("half of a surrogate pair", offset: place)
        }
        at += 2
        let low = try hexadecimal()
        guard low & 0xFC00 == 0xDC00 else { throw JSONError("half of a surrogate pair", offset: place) }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw JSONError("half of a surrogate pair", offset: place) }
      buffer.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw JSONError("unknown escape", offset: place)
    }
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
        throw JSONError("expected four hexadecimal digits", offset: at)
      }
      code = code << 4 | UInt32(digit)
      at += 1
    }
    return code
  }
}
