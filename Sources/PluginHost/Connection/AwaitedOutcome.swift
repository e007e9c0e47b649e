import Glibc

/// The outcome of another thread's work, for threads that wait for it.
///
/// Loading a plugin takes time, wherever the plugin runs: see ``PluginLoader/plugin(_:_:)``.
package final class AwaitedOutcome<Success: Sendable, Failure: Error>: @unchecked Sendable {
  // @unchecked: `outcome` is accessed only under `mutex`.

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var outcome: Result<Success, Failure>?

  package init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Resumes all waiting threads. Only the first outcome counts.
  package func resume(with outcome: Result<Success, Failure>) {
    pthread_mutex_lock(mutex)
    if self.outcome == nil { self.outcome = outcome }
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits for the outcome.
  package func get() throws(Failure) -> Success {
    pthread_mutex_lock(mutex)
    while true {
      if let outcome {
        pthread_mutex_unlock(mutex)
        return try outcome.get()
      }
      pthread_cond_wait(condition, mutex)
    }
  }
}
