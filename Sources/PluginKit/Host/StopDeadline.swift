import Synchronization

/// Until when an instance that was asked to end has time for it.
final class StopDeadline: Sendable {
  /// By the host's monotonic clock; nil as long as it was not asked.
  private let instant = Mutex<Duration?>(nil)

  /// The host asks the instance to end within `time`.
  func set(_ time: Duration, _ link: InstanceLink) {
    let end = HostClock(link: link).monotonic() + time
    instant.withLock { $0 = end }
  }

  /// What is left; nil as long as it was not asked, and zero when the time is over.
  func rest(_ link: InstanceLink) -> Duration? {
    guard let end = instant.withLock({ $0 }) else { return nil }
    return max(.zero, end - HostClock(link: link).monotonic())
  }
}
