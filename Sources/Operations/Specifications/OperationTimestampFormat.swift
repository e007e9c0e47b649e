extension OperationContext {
  private enum TimestampFormatKey: Key {
    static let defaultValue: @Sendable (Timestamp) -> String = { $0.universalTime }
  }

  /// How times are written where operations describe themselves to people. RFC 3339 in UTC, to the second, by default.
  public var operationTimestampFormat: @Sendable (Timestamp) -> String {
    get { self[TimestampFormatKey.self] }
    set { self[TimestampFormatKey.self] = newValue }
  }
}

extension Timestamp {
  /// Such as `2026-03-01T18:00:00Z`: years of four digits or more, seconds rounded down.
  var universalTime: String {
    let day = seconds.floored(by: 86_400)
    let second = seconds - day.multipliedSaturating(by: 86_400)
    // The proleptic Gregorian calendar repeats after 400 years of 146,097 days; years are counted from March, so that
    // the leap day is a year's last.
    let sinceMarch = day + 719_468
    let era = sinceMarch.floored(by: 146_097)
    let dayOfEra = sinceMarch - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = "\(year.padded(4))-\(month.padded(2))-\(dayOfMonth.padded(2))"
    return "\(date)T\((second / 3_600).padded(2)):\((second / 60 % 60).padded(2)):\((second % 60).padded(2))Z"
  }
}

extension Int64 {
  fileprivate func floored(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  fileprivate func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .min : product
  }

  fileprivate func padded(_ width: Int) -> String {
    let digits = String(magnitude)
    return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
