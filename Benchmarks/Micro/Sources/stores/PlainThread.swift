import Glibc

/// A thread that belongs to nobody's pool.
enum PlainThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Runs `body`, which may block, on a thread of its own, and waits without blocking a thread of the runtime.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let work = Unmanaged.passRetained(Work { continuation.resume(with: Result { try body() }) })
      var thread = pthread_t()
      let error = pthread_create(
        &thread, nil,
        { argument in
          if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
          return nil
        }, work.toOpaque())
      guard error == 0 else {
        work.release()
        return continuation.resume(throwing: StoresError("no thread could be started: error \(error)"))
      }
      pthread_detach(thread)
    }
  }
}
