import Foundation
import Values

/// An instant as people write it on a command line.
public enum TimeFilter {
  /// Reads `2h` (that long ago), `yesterday` or `today` (their beginning), `now`, `2026-11-20` (the beginning of that day),
  /// `2026-11-20 18:30` (that minute), or an RFC 3339 timestamp.
  ///
  /// - Parameters:
  ///   - text: What a person wrote; blanks around it do not count.
  ///   - now: What durations and days are counted from.
  ///   - zone: The time zone of what names none; the computer's by default.
  /// - Returns: The instant, or nil if the text is none of these.
  public static func parse(_ text: String, now: RecordTime = .now, zone: TimeZone = .current) -> RecordTime? {
    let text = text.trimmingCharacters(in: .whitespaces)
    switch text {
    case "now": return now
    case "today": return startOfDay(daysAgo: 0, now: now, zone: zone)
    case "yesterday": return startOfDay(daysAgo: 1, now: now, zone: zone)
    default: break
    }
    if let seconds = TimestampNotation.parse(text) { return RecordTime(secondsSince1970: seconds) }
    if let local = localTime(text, zone: zone) { return local }
    guard let ago = DurationNotation.parse(text), ago >= .zero else { return nil }
    let (seconds, attoseconds) = ago.components
    let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? nil : now.advanced(by: -microseconds - attoseconds / 1_000_000_000_000)
  }

  private static func calendar(_ zone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar
  }

  private static func startOfDay(daysAgo: Int, now: RecordTime, zone: TimeZone) -> RecordTime? {
    let calendar = calendar(zone)
    let date = Date(timeIntervalSince1970: now.secondsSince1970)
    // A day before, by the calendar: it is 23 or 25 hours long when the clocks are changed.
    return calendar.date(byAdding: .day, value: -daysAgo, to: calendar.startOfDay(for: date)).map(instant)
  }

  /// `2026-11-20`, or that with `T` or a blank and `18:30` or `18:30:05` after it.
  private static func localTime(_ text: String, zone: TimeZone) -> RecordTime? {
    let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
    guard let day = numbers(halves[0], separator: "-", widths: [4, 2, 2]) else { return nil }
    var time = [0, 0, 0]
    if halves.count == 2 {
      let widths = Array(repeating: 2, count: halves[1].split(separator: ":").count)
      guard (2...3).contains(widths.count), let parts = numbers(halves[1], separator: ":", widths: widths) else {
        return nil
      }
      time = parts + Array(repeating: 0, count: 3 - parts.count)
    }
    guard time[0] < 24, time[1] < 60, time[2] < 60 else { return nil }
    let components = DateComponents(
      year: day[0], month: day[1], day: day[2], hour: time[0], minute: time[1], second: time[2])
    let calendar = calendar(zone)
    guard let date = calendar.date(from: components) else { return nil }
    // The calendar reads February 30 as March 2; a person who wrote it has made a mistake.
    let read = calendar.dateComponents([.year, .month, .day], from: date)
    guard read.year == day[0], read.month == day[1], read.day == day[2] else { return nil }
    return instant(date)
  }

  private static func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == widths.count else { return nil }
    var numbers: [Int] = []
    for (part, width) in zip(parts, widths) {
      guard part.utf8.count == width, part.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(part) else {
        return nil
      }
      numbers.append(number)
    }
    return numbers
  }

  private static func instant(_ date: Date) -> RecordTime {
    RecordTime(secondsSince1970: date.timeIntervalSince1970)
  }
}
