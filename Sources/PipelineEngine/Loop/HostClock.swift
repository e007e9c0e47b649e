import Glibc
import Operations
import RunHistory
import Workspace

/// The clocks of a host's runs: the wall clock, the monotonic clock and the time since boot. The last two advance together.
struct HostClock: Sendable {
  let clock: any OperationClock
  /// The identity of the boot, and the time since boot when the monotonic clock was at zero.
  private let boot = ProcessIdentity.currentBoot
  private let bootOffset: Duration

  /// - Parameters:
  ///   - clock: The clock of the host.
  ///   - sinceBoot: The time since boot. Default nil: the kernel's value.
  init(_ clock: any OperationClock, sinceBoot: Duration? = nil) {
    self.clock = clock
    bootOffset = (sinceBoot ?? Self.sinceBoot()) - clock.monotonic()
  }

  func monotonic() -> Duration { clock.monotonic() }

  /// Returns the wall clock's time.
  func now() -> RecordTime {
    let now = clock.now()
    return RecordTime(microseconds: now.seconds * 1_000_000 + Int64(now.nanoseconds / 1000))
  }

  /// Returns the current time by both clocks.
  func moment() -> RecordedWait.Moment {
    RecordedWait.Moment(time: now(), boot: boot, sinceBoot: (bootOffset + clock.monotonic()).wholeMicroseconds)
  }

  private static func sinceBoot() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
