import OperatingSystem

/// Runs blocking work (reading, writing, hashing and syncing files) on its own thread, which ends with the work: the concurrency runtime has few threads,
/// and blocking them delays other tasks.
enum BlockingThread {
  static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: work()) }
    }
  }

  /// Starts `work` on a new thread and returns immediately; if no thread can be created, runs `work` first.
  ///
  /// The thread blocks signals, above all SIGPIPE: writing to a closed connection or pipe would otherwise terminate the process.
  static func start(_ work: @escaping @Sendable () -> Void) {
    do throws(SystemError) {
      try SystemThread.detach("penstock-files", blocking: .allButFaults, work)
    } catch {
      // No thread can be created: blocking here is better than not doing the work.
      work()
    }
  }
}
