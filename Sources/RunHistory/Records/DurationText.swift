/// Formats durations for people to read, always in few characters.
package enum DurationText {
  /// `28ms`, `1.2s`, `48s`, `3m12s`, `2h05m`, `3d4h`: at most two units, and no more digits than matter.
  package static func format(microseconds: Int64) -> String {
    // Rounding adds a little.
    let length = min(max(0, microseconds), .max - 1_000_000)
    if length < 99_500 { return "\((length + 500) / 1000)ms" }
    if length < 9_950_000 {
      let tenths = (length + 50_000) / 100_000
      return "\(tenths / 10).\(tenths % 10)s"
    }
    let seconds = (length + 500_000) / 1_000_000
    if seconds < 60 { return "\(seconds)s" }
    if seconds < 3600 { return "\(seconds / 60)m\(padded(seconds % 60))s" }
    if seconds < 86_400 { return "\(seconds / 3600)h\(padded(seconds % 3600 / 60))m" }
    return "\(seconds / 86_400)d\(seconds % 86_400 / 3600)h"
  }

  /// Formats the time from `start` to `end`; empty unless both are known.
  package static func format(from start: RecordTime?, to end: RecordTime?) -> String {
    guard let start, let end else { return "" }
    return format(microseconds: end.microseconds - start.microseconds)
  }

  private static func padded(_ number: Int64) -> String {
    number < 10 ? "0\(number)" : String(number)
  }
}
