import Glibc

/// A mutex and a condition variable, on the monotonic clock.
///
/// Only for a dedicated thread: waiting blocks it, which must never happen to a thread of the cooperative pool.
@usableFromInline
final class ThreadSignal: @unchecked Sendable {
  // @unchecked: the pointers never change, and the objects they point to are thread-safe.

  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  @inlinable
  func lock() {
    pthread_mutex_lock(mutex)
  }

  @inlinable
  func unlock() {
    pthread_mutex_unlock(mutex)
  }

  /// Wakes the waiting thread. The lock should be held.
  @usableFromInline
  func wake() {
    pthread_cond_signal(condition)
  }

  func wait() {
    pthread_cond_wait(condition, mutex)
  }

  /// Waits until woken or until the instant; returns false once the instant has passed.
  func wait(until instant: timespec) -> Bool {
    var instant = instant
    return pthread_cond_timedwait(condition, mutex, &instant) == 0
  }

  /// Returns the instant that many nanoseconds in the future.
  static func instant(in nanoseconds: Int64) -> timespec {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let total = Int64(now.tv_nsec) + nanoseconds
    return timespec(tv_sec: now.tv_sec + Int(total / 1_000_000_000), tv_nsec: Int(total % 1_000_000_000))
  }
}
