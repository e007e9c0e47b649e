import Glibc
import Values

/// An instant in a record: whole microseconds since 1970 UTC, in the years 0 to 9999.
///
/// Records come from a database that anyone may have written. Values outside these years become the first or the last instant in them, so that the
/// difference between two instants, and the sum of a current instant and any duration, never overflows.
public struct RecordTime: Sendable, Hashable, Comparable {
  /// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
  public let microseconds: Int64

  /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z, the limits of SQLite and RFC 3339.
  private static let known: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

  /// Creates an instant from microseconds since 1970 UTC.
  public init(microseconds: Int64) {
    self.microseconds = min(max(microseconds, Self.known.lowerBound), Self.known.upperBound)
  }

  /// Creates an instant from seconds since 1970 UTC.
  public init(secondsSince1970 seconds: Double) {
    let bounds = (Double(Self.known.lowerBound), Double(Self.known.upperBound))
    self.init(microseconds: Int64(min(max(seconds * 1_000_000, bounds.0), bounds.1).rounded()))
  }

  /// The wall clock's current time.
  public static var now: RecordTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return RecordTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// Seconds since 1970 UTC.
  public var secondsSince1970: Double { Double(microseconds) / 1_000_000 }

  /// Orders by time.
  public static func < (left: RecordTime, right: RecordTime) -> Bool {
    left.microseconds < right.microseconds
  }

  /// Returns the instant that many microseconds later.
  public func advanced(by microseconds: Int64) -> RecordTime {
    let (sum, overflow) = self.microseconds.addingReportingOverflow(microseconds)
    return RecordTime(microseconds: overflow ? (microseconds < 0 ? .min : .max) : sum)
  }

  /// Returns the duration since `other`; negative if this is earlier.
  package func duration(since other: RecordTime) -> Duration { .microseconds(microseconds - other.microseconds) }

  /// `2026-11-20T18:03:01.250Z`, truncated (not rounded) to milliseconds.
  public var text: String {
    var seconds = time_t(microseconds / 1_000_000)
    var rest = microseconds % 1_000_000
    if rest < 0 {
      rest += 1_000_000
      seconds -= 1
    }
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func padded(_ number: Int64, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return padded(Int64(parts.tm_year) + 1900, 4) + "-" + padded(Int64(parts.tm_mon) + 1, 2) + "-"
      + padded(Int64(parts.tm_mday), 2) + "T" + padded(Int64(parts.tm_hour), 2) + ":" + padded(Int64(parts.tm_min), 2)
      + ":" + padded(Int64(parts.tm_sec), 2) + "." + padded(rest / 1000, 3) + "Z"
  }
}

extension JSONValue {
  /// The text of an instant; null if there is none.
  package init(_ time: RecordTime?) { self = time.map { .string($0.text) } ?? .null }
}
