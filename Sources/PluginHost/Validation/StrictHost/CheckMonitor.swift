import Glibc

/// A lock, and a condition to wait for under it. For the threads of a check alone: waiting blocks.
// The pointers are never changed, and what they point to is made for several threads.
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

  /// With the lock held.
  func wakeAll() { pthread_cond_broadcast(condition) }

  /// Waits until the condition holds. With the lock held.
  func wait(until isTrue: () -> Bool) {
    while !isTrue() { pthread_cond_wait(condition, mutex) }
  }

  /// Waits until the condition holds or time is up. With the lock held.
  func wait(atMost time: Duration, until isTrue: () -> Bool) {
    var end = Self.instant(in: time)
    while !isTrue() {
      if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { return }
    }
  }

  /// Waits until something wakes it or time is up. With the lock held.
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
