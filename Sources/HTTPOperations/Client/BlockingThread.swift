import Glibc

/// Does what blocks (reading, writing, hashing and syncing of files) on a thread of its own, which ends with it: the
/// threads of the concurrency runtime are few, and others wait for them.
enum BlockingThread {
  static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: work()) }
    }
  }

  /// Begins `work`, and returns at once where a thread can be had; else after it.
  static func start(_ work: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let result = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        BlockingThread.blockSignals()
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    pthread_attr_destroy(&attributes)
    // No thread can be had: blocking here is better than not doing it.
    if result != 0 { box.takeRetainedValue().body() }
  }

  /// Signals are for the other threads; above all SIGPIPE, which a write to a connection or pipe that is gone would
  /// otherwise end the process with.
  static func blockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&all, signal) }
    pthread_sigmask(SIG_BLOCK, &all, nil)
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
