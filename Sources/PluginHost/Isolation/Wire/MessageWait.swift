import Glibc
import OperatingSystem

/// Waits for the next message, on either side of a connection.
///
/// Waking a thread that sleeps on an idle processor takes tens of microseconds on a virtual machine, longer than all else in a short round trip.
/// While messages follow each other closely, a waiter therefore polls for a moment before it sleeps. It yields the processor between polls, so that
/// it does not hold up other threads.
///
/// After a long wait, the next one sleeps at once. So an idle connection costs nothing, and a plugin that takes milliseconds for an operation costs
/// no more than one moment of polling in vain. If polling fails repeatedly, because the other side is a little too slow or shares the processor
/// with the poller, it is done ever more rarely.
struct MessageWait {
  /// How long to poll, in nanoseconds: some round trips of a plugin that answers at once.
  static let look: Int64 = 50_000
  /// The longest wait after which to poll, in nanoseconds: as long as a round trip takes if both sides have to be woken.
  static let brisk: Int64 = 200_000
  /// The limit of `vain`: after this many failed polls, one wait in 2 to this power begins with a poll.
  static let mostVain = 10

  /// Whether the last wait was short.
  private var isBrisk = false
  /// How many more polls failed recently than succeeded.
  private var vain = 0
  /// The number of waits until the next poll.
  private var left = 0

  /// Waits for a message or event.
  ///
  /// - Parameters:
  ///   - now: The time in nanoseconds, by a clock that never goes back.
  ///   - look: Polls; nil if there is nothing.
  ///   - sleep: Waits in the kernel.
  /// - Returns: What was found.
  mutating func wait<Found>(now: () -> Int64 = Self.now, look: () -> Found?, sleep: () -> Found) -> Found {
    let start = now()
    if isBrisk {
      if left > 0 {
        left -= 1
      } else if let found = keepLooking(since: start, now: now, look) {
        vain = max(vain - 1, 0)
        return found
      } else {
        vain = min(vain + 1, Self.mostVain)
        left = 1 << vain
      }
    }
    let found = sleep()
    isBrisk = now() - start <= Self.brisk
    return found
  }

  private func keepLooking<Found>(since start: Int64, now: () -> Int64, _ look: () -> Found?) -> Found? {
    repeat {
      if let found = look() { return found }
      sched_yield()
    } while now() - start < Self.look
    return nil
  }

  private static func now() -> Int64 { SystemClock.nanoseconds(of: CLOCK_MONOTONIC) }
}
