/// The pause before a crashed child is restarted: 100 ms at first, doubling each time up to 30 s. It is reset once a child has been running for a
/// minute, and by its owner, for example after a child in which an instance ended properly.
struct RestartBackoff: Hashable, Sendable {
  static let first = Duration.milliseconds(100)
  static let longest = Duration.seconds(30)
  static let healthy = Duration.seconds(60)

  private var next = Self.first

  init() {}

  /// Returns the pause after the end of a child that had been ready for this long; nil if it never was.
  mutating func delay(afterBeingWell time: Duration?) -> Duration {
    if let time, time >= Self.healthy { next = Self.first }
    defer { next = min(next * 2, Self.longest) }
    return next
  }
}
