import Glibc

/// A point in time, in microseconds since 1970 UTC, as stored in the tables of a workspace.
///
/// In the `sqlite3` shell: `strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000000.0, 'unixepoch')`.
public struct Instant: KeyValue, Comparable, Codable {
  /// Microseconds since 1970 UTC, without leap seconds.
  public let microseconds: Int64

  /// Creates an instant.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// The time of the computer's clock, which may jump when it is set.
  public static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// Earlier instants come first.
  public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

  /// An integer.
  public static var storage: ColumnStorage { .integer }
  /// The microseconds.
  public func columnValue() -> SQLValue { .int(microseconds) }
  /// The instant with that many microseconds.
  public static func from(_ value: SQLValue) -> Instant? {
    guard case .int(let microseconds) = value else { return nil }
    return Instant(microseconds: microseconds)
  }
  /// The microseconds.
  public func write(to row: RowWriter) { row.write(microseconds) }
  /// The instant with that many microseconds.
  public static func read(_ row: RowReader, _ column: Int32) -> Instant? {
    row.integer(column).map { Instant(microseconds: $0) }
  }
  /// Whether the instants are equal.
  public static func areSame(_ left: Instant, _ right: Instant) -> Bool { left == right }
}
