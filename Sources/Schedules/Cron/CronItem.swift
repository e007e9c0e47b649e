/// Reads one comma-separated item of a field: `*`, `*/5`, `7`, `1-5`, `1-31/2`, `L`, `fri#2`, `fri#L`.
struct CronItem {
  let scalars: [Unicode.Scalar]
  var at: Int
  let end: Int
  let field: CronField

  private let start: Int

  init(scalars: [Unicode.Scalar], at: Int, end: Int, field: CronField) {
    self.scalars = scalars
    self.at = at
    self.end = end
    self.field = field
    start = at
  }

  mutating func read(into values: inout CronParser.Values) throws(CronError) {
    guard at < end else { throw error("a value is missing in the \(field.name)", start..<start) }
    if skip("*") {
      // 7 is an alias of Sunday, not a separate value.
      let upper = field == .dayOfWeek ? 6 : field.range.upperBound
      return try add(field.range.lowerBound, upper, step: try step(), to: &values)
    }
    if field == .dayOfMonth, isLast(at) {
      at += 1
      try finish()
      values.hasLast = true
      return
    }
    if scalars[at] == "/" {
      throw error("a step needs * or a range before it", start..<end, fix: "write '*\(text(start..<end))'")
    }
    let low = try value()
    if field == .dayOfWeek, at < end, scalars[at] == "#" || isLast(at) {
      return try ordinal(of: low, into: &values)
    }
    guard skip("-") else {
      if at < end, scalars[at] == "/" {
        throw error(
          "a step needs * or a range before it", start..<end,
          fix: "write '\(text(start..<at))-\(field.range.upperBound)\(text(at..<end))'")
      }
      try finish()
      return try add(low, low, step: 1, to: &values)
    }
    let high = try value()
    guard low <= high else { throw reversed(low, high) }
    try add(low, high, step: try step(), to: &values)
  }

  private func add(_ low: Int, _ high: Int, step: Int, to values: inout CronParser.Values) throws(CronError) {
    for number in stride(from: low, through: high, by: step) {
      values.values |= 1 << (field == .dayOfWeek && number == 7 ? 0 : number)
    }
  }

  private mutating func ordinal(of weekday: Int, into values: inout CronParser.Values) throws(CronError) {
    var bit: UInt8 = 1 << 6
    if skip("#") {
      let begin = at
      if at < end, isLast(at) {
        at += 1
      } else {
        guard let number = number(), (1...5).contains(number) else {
          throw error("'#' must be followed by a number from 1 to 5, or by L for the last", begin..<max(begin, end))
        }
        bit = 1 << number
      }
    } else {
      at += 1
    }
    try finish()
    values.ordinals[weekday % 7] |= bit
  }

  /// Reads the number after `/`; returns 1 if there is none.
  private mutating func step() throws(CronError) -> Int {
    guard at < end else { return 1 }
    guard skip("/") else { throw unexpected() }
    let begin = at
    guard let step = number() else { throw error("a step must be a number", begin..<end) }
    guard step > 0 else { throw error("a step must not be 0", begin..<at, fix: "the smallest step is 1") }
    guard step <= field.range.upperBound else {
      throw error(
        "a step of \(text(begin..<at)) exceeds the range of the \(field.name) (\(bounds))", begin..<at,
        fix: "list the values, or use another field")
    }
    try finish()
    return step
  }

  /// Reads a number or name that is valid for the field.
  private mutating func value() throws(CronError) -> Int {
    let begin = at
    if let number = number() {
      guard field.range.contains(number) else {
        throw error("the \(field.name) cannot be \(text(begin..<at)); use \(bounds)", begin..<at)
      }
      return number
    }
    while at < end, at - begin < 3, scalars[at].isASCII, scalars[at].properties.isAlphabetic { at += 1 }
    if at > begin, let number = field.number(named: text(begin..<at)) {
      guard at == end || !scalars[at].properties.isAlphabetic || field == .dayOfWeek && isLast(at) && at + 1 == end
      else { throw unknown(begin) }
      return number
    }
    throw begin < end ? unknown(begin) : error("a value is missing in the \(field.name)", begin..<begin)
  }

  private mutating func number() -> Int? {
    let begin = at
    var value = 0
    while at < end, ("0"..."9").contains(scalars[at]) {
      // Larger numbers are out of every range anyway.
      value = min(value * 10 + Int(scalars[at].value - 0x30), 1_000_000)
      at += 1
    }
    return at > begin ? value : nil
  }

  private func isLast(_ index: Int) -> Bool {
    scalars[index] == "L" || scalars[index] == "l"
  }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard at < end, scalars[at] == scalar else { return false }
    at += 1
    return true
  }

  private func finish() throws(CronError) {
    if at < end { throw unexpected() }
  }

  // MARK: - Errors

  private var bounds: String {
    let numbers = "\(field.range.lowerBound)-\(field.range.upperBound)"
    guard let first = field.names.first, let last = field.names.last else { return numbers }
    return "\(numbers) or \(first)-\(last)"
  }

  private func reversed(_ low: Int, _ high: Int) -> CronError {
    let upper = field == .dayOfWeek ? 6 : field.range.upperBound
    func range(_ low: Int, _ high: Int) -> String { low == high ? "\(low)" : "\(low)-\(high)" }
    let fix =
      field == .dayOfWeek && high == 0 ? range(low, 7) : "\(range(low, upper)),\(range(field.range.lowerBound, high))"
    return error("the range \(text(start..<at)) is backwards", start..<at, fix: "write '\(fix)'")
  }

  private func unknown(_ begin: Int) -> CronError {
    let rest = text(begin..<end)
    let fix: String? =
      switch rest {
      case "?": field == .dayOfMonth || field == .dayOfWeek ? "write '*'" : nil
      case "L", "l": field == .dayOfWeek ? "name the weekday, as in 'fri#L'" : nil
      default: nil
      }
    return error("'\(rest)' is not a valid \(field.name); use \(bounds)", begin..<end, fix: fix)
  }

  private func unexpected() -> CronError {
    switch (text(at..<end), field) {
    case ("W", .dayOfMonth), ("w", .dayOfMonth):
      error("the weekday nearest to a day (W) is not supported", at..<end)
    case (let rest, .dayOfMonth) where rest.hasPrefix("-") && text(start..<at).lowercased() == "l":
      error("days before the last (\(text(start..<end))) are not supported", start..<end)
    case (let rest, _): error("'\(rest)' is not expected here", at..<end)
    }
  }

  private func text(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }

  private func error(_ message: String, _ range: Range<Int>, fix: String? = nil) -> CronError {
    CronError(message: message, position: range.lowerBound + 1, length: range.count, fix: fix)
  }
}
