import Glibc

/// Does what blocks (hashing and syncing of large files) on a thread of its own, which ends with it: the threads of the
/// concurrency runtime are few, and others wait for them.
enum BlockingThread {
  static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      let box = Unmanaged.passRetained(Work { continuation.resume(returning: work()) })
      var thread = pthread_t()
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      let result = pthread_create(
        &thread, &attributes,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
          return nil
        }, box.toOpaque())
      pthread_attr_destroy(&attributes)
      // No thread can be had: blocking here is better than not doing it.
      if result != 0 { box.takeRetainedValue().body() }
    }
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
