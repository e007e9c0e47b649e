import Values

/// The tags of the YAML 1.2 core schema; the case names are their spelling after `!!`.
enum YAMLCoreTag: UInt8, Sendable, Hashable {
  case str, int, float, bool, null, seq, map

  private static let tags: [String: YAMLCoreTag] = [
    "str": .str, "int": .int, "float": .float, "bool": .bool, "null": .null, "seq": .seq, "map": .map,
  ]

  /// Creates the tag with the full name `name`, as libyaml reports it.
  init?(fullName name: String) {
    let prefix = "tag:yaml.org,2002:"
    guard name.hasPrefix(prefix), let tag = Self.tags[String(name.dropFirst(prefix.count))] else { return nil }
    self = tag
  }
}

/// The meaning of plain scalars in the YAML 1.2 core schema (chapter 10.3.2 of the specification).
///
/// `yes`, `no`, `on`, `off`, dates, sexagesimal and `_`-separated numbers, which are special in YAML 1.1, are strings.
enum YAMLCoreSchema {
  /// Returns the value of the plain scalar `text`: null, a boolean, a number, or otherwise a string.
  static func value(of text: String) -> JSONValue {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default: return number(text) ?? .string(text)
    }
  }

  /// Returns the value of `text` with `tag`, or nil if it has none.
  static func value(of text: String, tag: YAMLCoreTag) -> JSONValue? {
    let value = value(of: text)
    switch (tag, value) {
    case (.str, _): return .string(text)
    case (.null, .null), (.bool, .bool), (.int, .int), (.float, .double): return value
    case (.int, .double) where isWhole(text): return value
    case (.float, .int(let number)): return .double(Double(number))
    default: return nil
    }
  }

  /// Returns whether the `text` of a number has one of the three integer forms, so that it is a double only because of its size.
  private static func isWhole(_ text: String) -> Bool {
    text.hasPrefix("0x") || text.utf8.allSatisfy { isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x6F }
  }

  private static func number(_ text: String) -> JSONValue? {
    var text = text
    return text.withUTF8 { bytes -> JSONValue? in
      // Most scalars are words: a number can only start with `+`, `-`, `.` or a digit.
      guard let first = bytes.first, first == 0x2B || (first >= 0x2D && first <= 0x39) else { return nil }
      return number(bytes)
    }
  }

  private static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> JSONValue? {
    if bytes.count > 2, bytes[0] == 0x30, bytes[1] == 0x6F || bytes[1] == 0x78 {
      return whole(bytes[2...], radix: bytes[1] == 0x6F ? 8 : 16)
    }
    let isSigned = bytes[0] == 0x2B || bytes[0] == 0x2D
    let digits = bytes[(isSigned ? 1 : 0)...]
    switch String(decoding: digits.prefix(5), as: UTF8.self) {
    case ".inf", ".Inf", ".INF": return .double(bytes[0] == 0x2D ? -.infinity : .infinity)
    case ".nan" where !isSigned, ".NaN" where !isSigned, ".NAN" where !isSigned: return .double(.nan)
    default: break
    }
    guard let form = decimalForm(digits) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    if form == .whole, let number = Int64(text) { return .int(number) }
    return Double(text).map { .double($0) }
  }

  private enum DecimalForm { case whole, fractional }

  /// `[0-9]+`, or `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`.
  private static func decimalForm(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> DecimalForm? {
    var rest = bytes
    let whole = takeDigits(&rest)
    if rest.isEmpty { return whole > 0 ? .whole : nil }
    var fraction = 0
    if rest.first == 0x2E {
      rest.removeFirst()
      fraction = takeDigits(&rest)
    }
    guard whole + fraction > 0 else { return nil }
    if rest.first == 0x65 || rest.first == 0x45 {
      rest.removeFirst()
      if rest.first == 0x2B || rest.first == 0x2D { rest.removeFirst() }
      guard takeDigits(&rest) > 0 else { return nil }
    }
    return rest.isEmpty ? .fractional : nil
  }

  private static func takeDigits(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let digits = rest.prefix(while: isDigit).count
    rest.removeFirst(digits)
    return digits
  }

  private static func whole(_ digits: Slice<UnsafeBufferPointer<UInt8>>, radix: Int) -> JSONValue? {
    var exact: Int64? = 0
    var approximate = 0.0
    for byte in digits {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else { return nil }
      approximate = approximate * Double(radix) + Double(digit)
      if let value = exact {
        let (product, overflow) = value.multipliedReportingOverflow(by: Int64(radix))
        let (sum, carry) = product.addingReportingOverflow(Int64(digit))
        exact = overflow || carry ? nil : sum
      }
    }
    return exact.map { .int($0) } ?? .double(approximate)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
