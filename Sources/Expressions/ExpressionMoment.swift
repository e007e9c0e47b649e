import Schedules
import Values

/// What `formatDate` and `addDuration` take: an instant, or a day of no particular place.
enum ExpressionMoment: Equatable {
  /// Seconds since 1970 UTC.
  case instant(Double)
  /// Days since 1970-01-01.
  case date(Int)

  private static let firstInstant = -62_135_596_800.0
  private static let lastInstant = 253_402_300_799.999
  private static let day = 86_400.0

  /// Reads `2026-03-29T02:30:00+01:00` or `2026-03-29`; nil where the text is neither, and before the year 1.
  init?(_ text: String) {
    if let day = DateNotation.parse(text) {
      self = .date(day)
    } else if let seconds = TimestampNotation.parse(text), (Self.firstInstant...Self.lastInstant).contains(seconds) {
      self = .instant(seconds)
    } else {
      return nil
    }
  }

  /// Reads a duration with an optional minus in front, in nanoseconds; nil where the text is none.
  static func nanoseconds(_ text: String) -> Int64? {
    let isNegative = text.hasPrefix("-")
    guard let duration = DurationNotation.parse(isNegative ? String(text.dropFirst()) : text) else { return nil }
    let (seconds, attoseconds) = duration.components
    // The notation goes no further than 64 bits of nanoseconds.
    let total = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    return isNegative ? -total : total
  }

  /// Whether a day stays one when so much is added to it.
  static func isWholeDays(_ nanoseconds: Int64) -> Bool { nanoseconds % 86_400_000_000_000 == 0 }

  /// The text of what is so much later; nil outside of the years 1 to 9999. A day and whole days make a day, all else an instant in UTC.
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

/// The format of `formatDate`: text with the conversions of `strftime`.
struct DateFormat {
  private enum Piece {
    case text(String)
    case conversion(Unicode.Scalar)
  }

  /// A conversion that there is not.
  struct Wrong: Error {
    /// As it is written, such as `%Q`.
    let conversion: String
    /// How many scalars stand before it.
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

  /// What the clocks and calendars of `zone` show at `moment`; of a day, at its beginning there.
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

  /// 1 is Monday, 7 is Sunday.
  private static func number(of weekday: Weekday) -> Int { weekday == .sunday ? 7 : weekday.rawValue }

  private static func dayOfYear(_ date: CivilDate) -> Int {
    Int(date.dayNumber) - CivilCalendar.dayNumber(of: (date.year, 1, 1)) + 1
  }

  /// The Thursday of the week that a day is in, whose year has the week, as ISO 8601 counts them.
  private static func thursday(of date: CivilDate) -> CivilDate {
    CivilDate(dayNumber: date.dayNumber + Int64(4 - number(of: date.weekday)))
  }

  /// As in `+0130`.
  private static func offset(_ seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    return (seconds < 0 ? "-" : "+") + padded(minutes / 60, 2) + padded(minutes % 60, 2)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
