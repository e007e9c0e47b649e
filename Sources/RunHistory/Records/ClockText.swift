import Glibc

/// Formats instants for people to read, in the local time zone.
package enum ClockText {
  /// `14:03:01`.
  package static func time(_ time: RecordTime) -> String {
    let parts = local(time)
    return "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
  }

  /// `2026-11-20 14:03:01`.
  package static func dateAndTime(_ time: RecordTime) -> String {
    let parts = local(time)
    return "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday)) " + self.time(time)
  }

  /// `2026-11-20T14:03:01.250+01:00`, truncated (not rounded) to milliseconds: RFC 3339 in the local time zone.
  package static func exact(_ time: RecordTime) -> String {
    let parts = local(time)
    let milliseconds = microsecondsOfSecond(time) / 1000
    let offset = Int32(parts.tm_gmtoff / 60)
    let digits = String(milliseconds)
    return dateAndTime(time).replacing(" ", with: "T") + "." + String(repeating: "0", count: 3 - digits.count) + digits
      + (offset < 0 ? "-" : "+") + padded(abs(offset) / 60) + ":" + padded(abs(offset) % 60)
  }

  /// Returns the time alone if it is less than a day from `reference`, otherwise with its date, because it could be on any day.
  package static func moment(_ time: RecordTime, seenFrom reference: RecordTime) -> String {
    abs(time.microseconds - reference.microseconds) < 86_400_000_000 ? self.time(time) : dateAndTime(time)
  }

  /// `3m12s ago`, or the date if it is more than a week. An instant more than a second after `now` is `in the future`: the clock was set back.
  package static func ago(_ time: RecordTime, now: RecordTime = .now) -> String {
    let distance = now.microseconds - time.microseconds
    guard distance > -1_000_000 else { return "in the future" }
    guard distance < 7 * 86_400_000_000 else { return dateAndTime(time) }
    return DurationText.format(microseconds: distance) + " ago"
  }

  /// `3m12s`, for the duration since `start`. If that is more than a second after `now`, it is `an unknown time`.
  package static func length(since start: RecordTime, now: RecordTime) -> String {
    let length = now.microseconds - start.microseconds
    return length > -1_000_000
      ? DurationText.format(microseconds: length) : "an unknown time, because the clock was set back"
  }

  private static func local(_ time: RecordTime) -> tm {
    // The remainder is subtracted before dividing, because division rounds towards zero and there are instants before 1970.
    var seconds = time_t((time.microseconds - microsecondsOfSecond(time)) / 1_000_000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return parts
  }

  private static func microsecondsOfSecond(_ time: RecordTime) -> Int64 {
    (time.microseconds % 1_000_000 + 1_000_000) % 1_000_000
  }

  private static func padded(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : String(number)
  }
}
