import Glibc

/// How either side of a connection waits for the next message.
///
/// Waking a thread that sleeps on an idle processor takes tens of microseconds on a virtual machine, longer than all else in a short round
/// trip. While messages follow each other closely, whoever waits for the next one looks for it for a moment before it sleeps. It yields the
/// processor between two looks, so that others who have something to do are not kept from it.
///
/// A wait that took long ends that: the next one sleeps at once. So an idle connection costs nothing, and a plugin that takes
/// milliseconds for an operation costs no more than one moment of looking in vain. Where that happens again and again, because the other side is a
/// little too slow or has to share the processor with whoever looks, it is done ever more rarely.
struct MessageWait {
  /// How long to look, in nanoseconds: some round trips of a plugin that answers at once.
  static let look: Int64 = 50_000
  /// A wait that took no longer may be followed by a look: that is as long as it takes where both sides have to be woken.
  static let brisk: Int64 = 200_000
  /// After so many looks in vain, one wait in two to the power of that begins with a look.
  static let mostVain = 10

  /// Whether the last wait was short.
  private var isBrisk = false
  /// How many more looks were in vain lately than were not.
  private var vain = 0
  /// The waits until the next look.
  private var left = 0

  /// Waits for something.
  ///
  /// - Parameters:
  ///   - now: The time in nanoseconds, by a clock that does not go back.
  ///   - look: Gives what there is; nil where there is nothing.
  ///   - sleep: Waits for it in the kernel.
  /// - Returns: What there is.
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

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
