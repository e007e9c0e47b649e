import Glibc
import Values

extension JSONValue {
  /// Whether the value is true in an expression: every value is except `false`, `0`, `-0`, `NaN`, `''` and null.
  public var isTruthy: Bool {
    switch self {
    case .null: false
    case .bool(let value): value
    case .int(let value): value != 0
    case .double(let value): value != 0 && !value.isNaN
    case .string(let text): !text.isEmpty
    case .array, .object: true
    }
  }

  /// The value converted to a string as in GitHub Actions: null is empty, numbers have 15 significant digits (`1E+20`),
  /// a list is `Array` and an object `Object`.
  public var coercedString: String {
    switch self {
    case .null: ""
    case .bool(let value): value ? "true" : "false"
    case .int(let value): abs(Double(value)) < 1e15 ? String(value) : Double(value).expressionText
    case .double(let value): value.expressionText
    case .string(let text): text
    case .array: "Array"
    case .object: "Object"
    }
  }

  /// The value converted to a number as in GitHub Actions: null is 0, true is 1, the empty string is 0; text that is
  /// not a number, lists and objects are NaN.
  public var coercedNumber: Double {
    switch self {
    case .null: 0
    case .bool(let value): value ? 1 : 0
    case .int(let value): Double(value)
    case .double(let value): value
    case .string(let text): text.expressionNumber
    case .array, .object: .nan
    }
  }

  /// Whether the value is a list or an object.
  var isCollection: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  /// Returns the value of `.name` or `['name']` in an expression, or nil if there is none.
  ///
  /// Member names are matched case-insensitively, with an exact match taking precedence. In a list, the name is an
  /// index, counted from 0. Contexts can use this for the values that they hold.
  public func expressionMember(_ name: String) -> JSONValue? {
    switch self {
    case .object(let members):
      if let value = members[name] { return value }
      for (index, candidate) in members.keys.enumerated() where OrdinalIgnoreCase.equal(candidate, name) {
        return members.values[index]
      }
      return nil
    case .array(let elements): return JSONValue.index(from: name.expressionNumber, in: elements).map { elements[$0] }
    default: return nil
    }
  }

  /// Returns the index into `elements` that a number, rounded down, stands for, or nil if it is out of bounds.
  static func index(from number: Double, in elements: [JSONValue]) -> Int? {
    number >= 0 && number < Double(elements.count) ? Int(number) : nil
  }
}

extension Double {
  /// The number as GitHub Actions formats it: .NET's `G15`, with `-0` as `0`.
  var expressionText: String {
    if isNaN { return "NaN" }
    if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
    if self == 0 { return "0" }
    if Swift.abs(self) < 1e15, self == rounded(.towardZero) { return String(Int64(self)) }
    var (digits, exponent) = significantDigits
    while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
    var text: [UInt8] = self < 0 ? [UInt8(ascii: "-")] : []
    if exponent >= 15 || exponent < -4 {
      text.append(digits[0])
      if digits.count > 1 {
        text.append(UInt8(ascii: "."))
        text += digits[1...]
      }
      text += "E\(exponent < 0 ? "-" : "+")\(Swift.abs(exponent) < 10 ? "0" : "")\(Swift.abs(exponent))".utf8
    } else if exponent < 0 {
      text += "0.".utf8
      text += repeatElement(UInt8(ascii: "0"), count: -exponent - 1)
      text += digits
    } else {
      text += digits.prefix(exponent + 1)
      text += repeatElement(UInt8(ascii: "0"), count: Swift.max(0, exponent + 1 - digits.count))
      if digits.count > exponent + 1 {
        text.append(UInt8(ascii: "."))
        text += digits[(exponent + 1)...]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The 15 significant digits, correctly rounded, and the power of ten of the first one.
  private var significantDigits: (digits: [UInt8], exponent: Int) {
    // "-d.dddddddddddddde-308" takes up 22 bytes.
    var buffer = [CChar](repeating: 0, count: 32)
    let written = withVaList([Swift.abs(self)]) { vsnprintf(&buffer, buffer.count, "%.14e", $0) }
    let text = buffer.prefix(Int(Swift.max(0, written))).map { UInt8(bitPattern: $0) }
    guard let mark = text.firstIndex(of: UInt8(ascii: "e")) else { return ([UInt8(ascii: "0")], 0) }
    return (
      text[..<mark].filter { $0 &- 48 < 10 }, Int(String(decoding: text[(mark + 1)...], as: UTF8.self)) ?? 0
    )
  }
}

extension String {
  /// The text converted to a number as in GitHub Actions: surrounding white space is ignored, empty text is 0, and text
  /// that is not a number is NaN. `0x` and `0o` introduce 32-bit hexadecimal and octal numbers.
  package var expressionNumber: Double {
    var text = self
    return text.withUTF8 { bytes in
      if let first = bytes.first, first &- 48 < 10, let value = DecimalText.double(bytes) { return value }
      return String.number(in: Substring(decoding: bytes, as: UTF8.self))
    }
  }

  private static func number(in text: Substring) -> Double {
    var scalars = text.unicodeScalars.drop(while: ExpressionLexer.isSpace)
    while let last = scalars.last, ExpressionLexer.isSpace(last) { scalars = scalars.dropLast() }
    if scalars.isEmpty { return 0 }
    let bytes = Array(String(scalars).utf8)
    if let value = bytes.withUnsafeBufferPointer({ DecimalText.double($0) }) { return value }
    if bytes.count > 2, bytes[0] == UInt8(ascii: "0") {
      let digits = bytes[2...]
      switch bytes[1] {
      case UInt8(ascii: "x"): return number(digits, radix: 16)
      case UInt8(ascii: "o"): return number(digits, radix: 8)
      default: return .nan
      }
    }
    // .NET accepts these words in any case and with either sign.
    let isNegative = bytes[0] == UInt8(ascii: "-")
    let word = bytes.dropFirst(isNegative || bytes[0] == UInt8(ascii: "+") ? 1 : 0)
    return String(decoding: word, as: UTF8.self).lowercased() == "infinity"
      ? (isNegative ? -.infinity : .infinity) : .nan
  }

  /// Returns digits as a 32-bit two's complement integer, as .NET reads them: `0xffffffff` is -1.
  private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> Double {
    guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
    else { return .nan }
    return Double(Int32(bitPattern: value))
  }
}
