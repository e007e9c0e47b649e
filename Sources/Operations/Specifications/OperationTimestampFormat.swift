extension OperationContext {
  private enum TimestampFormatKey: Key {
    static let defaultValue: @Sendable (Timestamp) -> String = { $0.universalTime }
  }

  /// The format of times in descriptions for people. RFC 3339 in UTC, to the second, by default.
  public var operationTimestampFormat: @Sendable (Timestamp) -> String {
    get { self[TimestampFormatKey.self] }
    set { self[TimestampFormatKey.self] = newValue }
  }
}

extension Timestamp {
  /// A notation such as `2026-03-01T18:00:00Z`: years of four digits or more, seconds rounded down.
  var universalTime: String {
    let day = seconds.floored(by: 86_400)
    let second = seconds - day.multipliedSaturating(by: 86_400)
    let civil = CivilDay(number: day)
    let date = "\(civil.year.padded(4))-\(civil.month.padded(2))-\(civil.day.padded(2))"
    return "\(date)T\((second / 3_600).padded(2)):\((second / 60 % 60).padded(2)):\((second % 60).padded(2))Z"
  }
}

extension Int64 {
  fileprivate func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .min : product
  }

  fileprivate func padded(_ width: Int) -> String {
    let digits = String(magnitude)
    return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
