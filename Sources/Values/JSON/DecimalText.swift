/// Conversion between numbers and text, independent of the locale.
package enum DecimalText {
  /// Returns the double nearest to the number that `text` spells, or nil if it is not a number.
  ///
  /// Accepts an optional sign, digits with at most one point (digits may be missing on one side of it, but not both),
  /// and an optional exponent. Numbers that are too large become infinite, and those that are too small become zero.
  package static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    var at = 0
    let isNegative = at < text.count && text[at] == UInt8(ascii: "-")
    if isNegative || (at < text.count && text[at] == UInt8(ascii: "+")) { at += 1 }
    let start = at
    var mantissa: UInt64 = 0
    var digits = 0
    var significant = 0
    var scale = 0
    var sawPoint = false
    while at < text.count {
      let byte = text[at]
      if byte == UInt8(ascii: "."), !sawPoint {
        sawPoint = true
      } else if byte &- 48 < 10 {
        digits += 1
        if significant > 0 || byte != 48 { significant += 1 }
        if significant <= 19 { mantissa = mantissa &* 10 &+ UInt64(byte &- 48) }
        if sawPoint { scale -= 1 }
      } else {
        break
      }
      at += 1
    }
    guard digits > 0 else { return nil }
    let mantissaEnd = at
    var exponent = 0
    if at < text.count {
      guard text[at] | 0x20 == UInt8(ascii: "e") else { return nil }
      at += 1
      var isExponentNegative = false
      if at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
        isExponentNegative = text[at] == UInt8(ascii: "-")
        at += 1
      }
      guard at < text.count else { return nil }
      while at < text.count {
        guard text[at] &- 48 < 10 else { return nil }
        // Beyond this every double is zero or infinite, however far the mantissa of a 16 MiB text shifts it.
        if exponent < 100_000_000 { exponent = exponent * 10 + Int(text[at] &- 48) }
        at += 1
      }
      if isExponentNegative { exponent = -exponent }
    }
    if mantissa == 0, significant == 0 { return isNegative ? -0.0 : 0 }
    // Both factors are exact doubles, so one multiplication or division rounds correctly (Clinger's fast path).
    let power = exponent + scale
    if significant <= 19, mantissa < 1 << 53, power >= -22, power <= 22 {
      let value = power < 0 ? Double(mantissa) / powersOfTen[-power] : Double(mantissa) * powersOfTen[power]
      return isNegative ? -value : value
    }
    var plain = isNegative ? "-0" : "0"
    plain += String(decoding: text[start..<mantissaEnd], as: UTF8.self)
    plain += "0e\(exponent + (sawPoint ? 0 : -1))"
    return Double(plain)
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// Returns the shortest decimal text that reads back as `value`; whole numbers below 1e15 have no decimal point.
  package static func shortest(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
    if abs(value) < 1e15, value == value.rounded(.towardZero), value != 0 || value.sign == .plus {
      return String(Int64(value))
    }
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
