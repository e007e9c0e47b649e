/// A date or time of a calendar file.
enum ICalendarTime: Sendable, Hashable {
  case date(CivilDate)
  /// A time in the local time of the caller.
  case floating(CivilTime)
  case utc(CivilTime)
  /// A time in the zone with that index in its calendar.
  case zoned(CivilTime, zone: Int)

  /// The local time; midnight for a date.
  var civil: CivilTime {
    switch self {
    case .date(let date): CivilTime(localSeconds: date.dayNumber * 86_400)
    case .floating(let time), .utc(let time), .zoned(let time, _): time
    }
  }

  /// Returns a time of the same kind on another day, at the same time of day.
  func moved(to date: CivilDate) -> ICalendarTime {
    let time = CivilTime(localSeconds: date.dayNumber * 86_400 + Int64(civil.secondOfDay))
    return switch self {
    case .date: .date(date)
    case .floating: .floating(time)
    case .utc: .utc(time)
    case .zoned(_, let zone): .zoned(time, zone: zone)
    }
  }

  /// Returns the instant of this time. A time that is skipped when clocks go forward moves to the same distance after the change.
  func instant(zones: [TimeZoneRules], local: TimeZoneRules) -> UnixTime {
    switch self {
    case .date, .floating: local.firstInstant(of: civil)
    case .utc(let time): time.localSeconds
    case .zoned(let time, let zone): zones[zone].firstInstant(of: time)
    }
  }

  /// Reads `20260101`, `20260101T120000` or `20260101T120000Z`.
  static func parse(_ text: some StringProtocol, zone: Int?) -> ICalendarTime? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 8, let year = number(bytes[0..<4]), let month = number(bytes[4..<6]),
      let day = number(bytes[6..<8]), let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    if bytes.count == 8 { return .date(date) }
    guard bytes.count == 15 || bytes.count == 16 && bytes[15] == UInt8(ascii: "Z"), bytes[8] == UInt8(ascii: "T"),
      let hour = number(bytes[9..<11]), let minute = number(bytes[11..<13]), let second = number(bytes[13..<15]),
      // A leap second counts as the second before it.
      second <= 60, let time = CivilTime(date, hour: hour, minute: minute, second: min(second, 59))
    else { return nil }
    if bytes.count == 16 { return .utc(time) }
    return zone.map { .zoned(time, zone: $0) } ?? .floating(time)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for byte in bytes {
      guard byte.isDigit else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }
}
