import Glibc

/// How numbers stand in the table.
enum Numbers {
  /// `48 ns`, `2.64 µs`, `0.84 ms`, `26.4 ms`, `264 ms`, `2.64 s`.
  static func time(_ seconds: Double) -> String {
    let milliseconds = seconds * 1000
    if abs(milliseconds) < 0.001 { return fixed(milliseconds * 1e6, 0) + " ns" }
    if abs(milliseconds) < 0.1 { return fixed(milliseconds * 1000, 2) + " µs" }
    if abs(milliseconds) >= 1000 { return fixed(seconds, 2) + " s" }
    return fixed(milliseconds, abs(milliseconds) < 10 ? 2 : abs(milliseconds) < 100 ? 1 : 0) + " ms"
  }

  static func megabytes(_ bytes: Int) -> String { fixed(Double(bytes) / 1e6, 1) + " MB" }

  /// `43,100/s`.
  static func rate(_ perSecond: Double) -> String {
    var digits = String(Int(perSecond.rounded()))
    var place = digits.endIndex
    while let next = digits.index(place, offsetBy: -3, limitedBy: digits.startIndex), next != digits.startIndex {
      digits.insert(",", at: next)
      place = next
    }
    return digits + "/s"
  }

  /// `9`, `9.5`.
  static func count(_ value: Double) -> String { fixed(value, value == value.rounded() ? 0 : 1) }

  /// What the floor or the subject came to, where the result is in `unit`.
  static func amount(_ value: Double, _ unit: Row.Unit) -> String {
    switch unit {
    case .ratio, .seconds, .added, .perSecond: time(value)
    case .bytes, .memory, .count, .processor: result(value, unit)
    case .addedMemory: megabytes(Int(value))
    case .addedCount: count(value)
    }
  }

  static func result(_ value: Double, _ unit: Row.Unit) -> String {
    switch unit {
    case .ratio: fixed(value, 2) + " ×"
    case .seconds: time(value)
    case .added: (value < 0 ? "" : "+") + time(value)
    case .perSecond: rate(value)
    case .bytes: fixed(value, 0) + " B"
    case .addedCount: (value < 0 ? "" : "+") + count(value)
    case .memory: megabytes(Int(value))
    case .addedMemory: (value < 0 ? "" : "+") + megabytes(Int(value))
    case .count: count(value)
    case .processor: fixed(value * 100, 2) + " %"
    }
  }

  static func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = pow(10, Double(digits))
    let scaled = (abs(value) * scale).rounded()
    let whole = String(Int(scaled / scale))
    guard digits > 0 else { return (value < 0 ? "-" : "") + whole }
    let rest = String(Int(scaled.truncatingRemainder(dividingBy: scale)))
    return (value < 0 ? "-" : "") + whole + "." + String(repeating: "0", count: digits - rest.count) + rest
  }
}
