import Schedules
import Values

/// The argument of `formatDate` and `addDuration`: an instant, or a date without a time zone.
enum ExpressionMoment: Equatable {
  /// Seconds since 1970-01-01T00:00:00Z.
  case instant(Double)
  /// Days since 1970-01-01.
  case date(Int)

  private static let firstInstant = -62_135_596_800.0
  private static let lastInstant = 253_402_300_799.999
  private static let day = 86_400.0

  /// Parses `2026-03-29T02:30:00+01:00` or `2026-03-29`; nil for any other text and for instants outside of the years 1 to 9999.
  init?(_ text: String) {
    if let day = DateNotation.parse(text) {
      self = .date(day)
    } else if let seconds = TimestampNotation.parse(text), (Self.firstInstant...Self.lastInstant).contains(seconds) {
      self = .instant(seconds)
    } else {
      return nil
    }
  }

  /// Parses a duration with an optional leading minus, in nanoseconds; nil if the text is not a duration.
  static func nanoseconds(_ text: String) -> Int64? {
    let isNegative = text.hasPrefix("-")
    guard let duration = DurationNotation.parse(isNegative ? String(text.dropFirst()) : text) else { return nil }
    let (seconds, attoseconds) = duration.components
    // The notation is limited to 64 bits of nanoseconds.
    let total = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    return isNegative ? -total : total
  }

  /// Returns whether a date stays a date when this many nanoseconds are added.
  static func isWholeDays(_ nanoseconds: Int64) -> Bool { nanoseconds % 86_400_000_000_000 == 0 }

  /// Returns the moment this much later as text; nil outside of the years 1 to 9999. A date plus whole days is a date, anything else an instant in UTC.
  func adding(_ nanoseconds: Int64) -> String? {
    switch self {
    case .date(let number) where Self.isWholeDays(nanoseconds):
      let text = CivilDate(dayNumber: Int64(number) + nanoseconds / 86_400_000_000_000).description
      return ExpressionMoment(text) == nil || text.hasPrefix("0000") ? nil : text
    case .date(let number): return ExpressionMoment.instant(Double(number) * Self.day).adding(nanoseconds)
    case .instant(let start):
      let seconds = start + Double(nanoseconds) / 1_000_000_000
      return (Self.firstInstant...Self.lastInstant).contains(seconds) ? TimestampNotation.format(seconds) : nil
    }
  }
}

/// The format of `formatDate`: text with conversions as in `strftime`.
struct DateFormat {
  private enum Piece {
    case text(String)
    case conversion(Unicode.Scalar)
  }

  /// An unknown conversion.
  struct Wrong: Error {
    /// The conversion as written, such as `%Q`.
    let conversion: String
    /// The number of scalars before it.
    let offset: Int
  }

  static let conversions: [Unicode.Scalar] = [
    "Y", "m", "d", "H", "M", "S", "F", "T", "j", "G", "V", "u", "a", "b", "s", "z", "Z", "%",
  ]

  private var pieces: [Piece] = []

  init(_ text: String) throws(Wrong) {
    let scalars = Array(text.unicodeScalars)
    var at = 0
    var start = 0
    while at < scalars.count {
      guard scalars[at] == "%" else {
        at += 1
        continue
      }
      guard at + 1 < scalars.count, Self.conversions.contains(scalars[at + 1]) else {
        throw Wrong(conversion: String(scalars: scalars[at..<min(at + 2, scalars.count)]), offset: at)
      }
      if at > start { pieces.append(.text(String(scalars: scalars[start..<at]))) }
      pieces.append(.conversion(scalars[at + 1]))
      at += 2
      start = at
    }
    if at > start { pieces.append(.text(String(scalars: scalars[start..<at]))) }
  }

  /// Returns the local time and date of `moment` in `zone`; for a date, those of its first instant there.
  func text(of moment: ExpressionMoment, in zone: TimeZoneRules) -> String {
    let time: CivilTime
    let instant: UnixTime
    switch moment {
    case .instant(let seconds):
      instant = UnixTime(seconds.rounded(.down))
      time = zone.civilTime(at: instant)
    case .date(let number):
      time = CivilTime(CivilDate(dayNumber: Int64(number))) ?? zone.civilTime(at: 0)
      instant = zone.firstInstant(of: time)
    }
    return pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .conversion(let scalar): Self.text(of: scalar, time, instant, zone)
      }
    }.joined()
  }

  private static func text(
    of conversion: Unicode.Scalar, _ time: CivilTime, _ instant: UnixTime, _ zone: TimeZoneRules
  ) -> String {
    switch conversion {
    case "Y": padded(time.date.year, 4)
    case "m": padded(time.date.month, 2)
    case "d": padded(time.date.day, 2)
    case "H": padded(time.hour, 2)
    case "M": padded(time.minute, 2)
    case "S": padded(time.second, 2)
    case "F": time.date.description
    case "T": "\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))"
    case "j": padded(dayOfYear(time.date), 3)
    case "G": padded(thursday(of: time.date).year, 4)
    case "V": padded((dayOfYear(thursday(of: time.date)) - 1) / 7 + 1, 2)
    case "u": String(number(of: time.weekday))
    case "a": String(time.weekday.name.prefix(3))
    case "b": months[time.date.month - 1]
    case "s": String(instant)
    case "z": offset(zone.localTime(at: instant).offset)
    case "Z": zone.localTime(at: instant).abbreviation
    default: "%"
    }
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns the ISO 8601 number of a weekday: 1 is Monday, 7 is Sunday.
  private static func number(of weekday: Weekday) -> Int { weekday == .sunday ? 7 : weekday.rawValue }

  private static func dayOfYear(_ date: CivilDate) -> Int {
    Int(date.dayNumber) - CivilCalendar.dayNumber(of: (date.year, 1, 1)) + 1
  }

  /// Returns the Thursday of the date's week; in ISO 8601, a week belongs to the year of its Thursday.
  private static func thursday(of date: CivilDate) -> CivilDate {
    CivilDate(dayNumber: date.dayNumber + Int64(4 - number(of: date.weekday)))
  }

  /// Returns an offset such as `+0130`.
  private static func offset(_ seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    return (seconds < 0 ? "-" : "+") + padded(minutes / 60, 2) + padded(minutes % 60, 2)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
