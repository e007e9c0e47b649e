import Glibc

/// Wakes a thread that waits. One thread waits at a time; a signal that comes before the wait ends the next one.
final class WakeSemaphore: @unchecked Sendable {
  // @unchecked: the semaphore is made for several threads, and lives as long as the object.

  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func send() { sem_post(semaphore) }

  /// Blocks the thread, which must not be one of the concurrency runtime's.
  func wait() { while sem_wait(semaphore) != 0 {} }
}
