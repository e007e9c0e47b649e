import Glibc

/// A lock with a condition variable. Only for the threads of a check: waiting blocks.
// @unchecked: the pointers never change, and their targets may be used by several threads.
final class CheckMonitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
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

  func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Call it with the lock held.
  func wakeAll() { pthread_cond_broadcast(condition) }

  /// Waits until `isTrue` returns true. Call it with the lock held.
  func wait(until isTrue: () -> Bool) {
    while !isTrue() { pthread_cond_wait(condition, mutex) }
  }

  /// Waits until `isTrue` returns true or the time is up. Call it with the lock held.
  func wait(atMost time: Duration, until isTrue: () -> Bool) {
    var end = Self.instant(in: time)
    while !isTrue() {
      if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { return }
    }
  }

  /// Waits until it is woken or the time is up. Call it with the lock held.
  func waitOnce(atMost time: Duration) {
    var end = Self.instant(in: time)
    pthread_cond_timedwait(condition, mutex, &end)
  }

  private static func instant(in time: Duration) -> timespec {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let (seconds, attoseconds) = time.components
    let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
    return timespec(
      tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  }
}
