/// Parses the notation of ``TimeZoneFormula``, with RFC 9636's extension of hours to -167 to 167.
struct TimeZoneFormulaParser {
  private let bytes: [UInt8]
  private var at = 0

  /// Returns the formula in `bytes`; nil if they are not one.
  static func parse(_ bytes: some Collection<UInt8>) -> TimeZoneFormula? {
    guard bytes.count <= 512 else { return nil }
    var parser = TimeZoneFormulaParser(bytes: Array(bytes))
    guard let formula = parser.formula(), parser.at == parser.bytes.count else { return nil }
    return formula
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func formula() -> TimeZoneFormula? {
    // POSIX offsets count westward.
    guard let name = name(), let west = seconds(hours: 24) else { return nil }
    let standard = TimeZoneRules.LocalTime(offset: -west, isDaylightSaving: false, abbreviation: name)
    guard at < bytes.count else { return TimeZoneFormula(standard: standard, daylight: nil) }
    guard let daylightName = self.name() else { return nil }
    var offset = standard.offset + 3600
    if let next = peek(), next != UInt8(ascii: ",") {
      guard let west = seconds(hours: 24) else { return nil }
      offset = -west
    }
    guard skip(","), let start = change(), skip(","), let end = change() else { return nil }
    let daylight = TimeZoneRules.LocalTime(offset: offset, isDaylightSaving: true, abbreviation: daylightName)
    return TimeZoneFormula(standard: standard, daylight: .init(localTime: daylight, start: start, end: end))
  }

  /// Reads a name: three or more letters, or letters, digits and signs between `<` and `>`.
  private mutating func name() -> String? {
    let isQuoted = skip("<")
    let start = at
    while let byte = peek(), byte.isLetter || isQuoted && (byte.isDigit || byte == 0x2B || byte == 0x2D) { at += 1 }
    let name = bytes[start..<at]
    guard (3...32).contains(name.count), !isQuoted || skip(">") else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  private mutating func change() -> TimeZoneFormula.Change? {
    let day: TimeZoneFormula.Change.Day
    if skip("J") {
      guard let number = number(1...365) else { return nil }
      day = .julian(number)
    } else if skip("M") {
      guard let month = number(1...12), skip("."), let ordinal = number(1...5), skip("."), let weekday = number(0...6)
      else { return nil }
      day = .weekday(weekday, ordinal: ordinal, month: month)
    } else {
      guard let number = number(0...365) else { return nil }
      day = .zeroBased(number)
    }
    guard skip("/") else { return .init(day: day) }
    guard let time = seconds(hours: 167) else { return nil }
    return .init(day: day, time: time)
  }

  /// Reads `[+-]hh[:mm[:ss]]`.
  private mutating func seconds(hours bound: Int) -> Int? {
    let sign = skip("-") ? -1 : 1
    if sign == 1 { _ = skip("+") }
    guard let hours = number(0...bound) else { return nil }
    var total = hours * 3600
    if skip(":") {
      guard let minutes = number(0...59) else { return nil }
      total += minutes * 60
      if skip(":") {
        guard let seconds = number(0...59) else { return nil }
        total += seconds
      }
    }
    return sign * total
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int? {
    let start = at
    var value = 0
    while let byte = peek(), byte.isDigit, at - start < 4 {
      value = value * 10 + Int(byte - 0x30)
      at += 1
    }
    return at > start && range.contains(value) ? value : nil
  }

  private func peek() -> UInt8? {
    at < bytes.count ? bytes[at] : nil
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII digit.
  var isDigit: Bool { self &- 0x30 < 10 }
  /// Whether the byte is an ASCII letter.
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
}
