/// How long a crashed child waits to be started again: 100 ms at first, twice as long each time up to 30 s, and 100 ms again once a child has
/// been well for a minute, or whoever counts begins anew, as after one in which something came to its proper end.
struct RestartBackoff: Hashable, Sendable {
  static let first = Duration.milliseconds(100)
  static let longest = Duration.seconds(30)
  static let healthy = Duration.seconds(60)

  private var next = Self.first

  init() {}

  /// The wait after the end of a child that had been ready for so long; nil where it never was.
  mutating func delay(afterBeingWell time: Duration?) -> Duration {
    if let time, time >= Self.healthy { next = Self.first }
    defer { next = min(next * 2, Self.longest) }
    return next
  }
}
