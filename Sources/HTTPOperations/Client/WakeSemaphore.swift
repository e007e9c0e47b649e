import Glibc

/// Wakes a waiting thread. Only one thread may wait at a time; a signal sent before the wait ends it immediately.
final class WakeSemaphore: @unchecked Sendable {
  // @unchecked: the semaphore is thread-safe and lives as long as the object.

  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func send() { sem_post(semaphore) }

  /// Blocks the thread, which must not belong to the concurrency runtime.
  func wait() { while sem_wait(semaphore) != 0 {} }
}
