import OperatingSystem

/// Does what blocks (reading, writing, hashing and syncing of files) on a thread of its own, which ends with it: the
/// threads of the concurrency runtime are few, and others wait for them.
enum BlockingThread {
  static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: work()) }
    }
  }

  /// Begins `work`, and returns at once where a thread can be had; else after it.
  ///
  /// Signals are for the other threads; above all SIGPIPE, which a write to a connection or pipe that is gone would
  /// otherwise end the process with.
  static func start(_ work: @escaping @Sendable () -> Void) {
    do throws(SystemError) {
      try SystemThread.detach("penstock-files", blocking: .allButFaults, work)
    } catch {
      // No thread can be had: blocking here is better than not doing it.
      work()
    }
  }
}
