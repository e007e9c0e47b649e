import Glibc
import Operations
import RunHistory
import Workspace

/// What a host's runs take for the present: the wall clock, the monotonic one, and the time since boot, of which the last two advance together.
struct HostClock: Sendable {
  let clock: any OperationClock
  /// The boot, and how much of it had passed when the monotonic clock was at zero.
  private let boot = ProcessIdentity.currentBoot
  private let bootOffset: Duration

  /// - Parameters:
  ///   - clock: The clock of the host.
  ///   - sinceBoot: How much of the boot has passed. Default nil: what the kernel says.
  init(_ clock: any OperationClock, sinceBoot: Duration? = nil) {
    self.clock = clock
    bootOffset = (sinceBoot ?? Self.sinceBoot()) - clock.monotonic()
  }

  func monotonic() -> Duration { clock.monotonic() }

  /// The wall clock's time.
  func now() -> RecordTime {
    let now = clock.now()
    return RecordTime(microseconds: now.seconds * 1_000_000 + Int64(now.nanoseconds / 1000))
  }

  /// The present, by both clocks.
  func moment() -> RecordedWait.Moment {
    RecordedWait.Moment(time: now(), boot: boot, sinceBoot: (bootOffset + clock.monotonic()).wholeMicroseconds)
  }

  private static func sinceBoot() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
