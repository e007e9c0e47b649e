import Synchronization

/// The deadline of an instance that was asked to end.
final class StopDeadline: Sendable {
  /// By the host's monotonic clock; nil until the host has asked.
  private let instant = Mutex<Duration?>(nil)

  /// Sets the deadline when the host asks the instance to end within `time`.
  func set(_ time: Duration, _ link: InstanceLink) {
    let end = HostClock(link: link).monotonic() + time
    instant.withLock { $0 = end }
  }

  /// Returns the time left; nil until the host has asked, and zero when the time is up.
  func rest(_ link: InstanceLink) -> Duration? {
    guard let end = instant.withLock({ $0 }) else { return nil }
    return max(.zero, end - HostClock(link: link).monotonic())
  }
}
