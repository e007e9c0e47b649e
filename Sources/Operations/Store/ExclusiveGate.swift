import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lets one thread at a time change a store, as often as it likes and from as deep as it likes.
///
/// This is the one lock under which user code may run, because running under it is what
/// ``OperationStore/withExclusiveAccess(_:)`` is asked for. Reading does not need it.
struct ExclusiveGate: ~Copyable, Sendable {
  private let mutex = Mutex<Void>(())
  /// The thread inside, 0 for none. Only a thread itself can find its own number here, so relaxed order is enough.
  private let owner = Atomic<UInt>(0)

  /// Whether the calling thread is inside.
  var isHeldHere: Bool { owner.load(ordering: .relaxed) == Self.currentThread }

  func withAccess<Value>(_ body: () -> Value) -> Value {
    let current = Self.currentThread
    guard owner.load(ordering: .relaxed) != current else { return body() }
    // What the lock hands out would have to be disconnected from everything else; here it is the caller's own.
    var value: Value?
    mutex.withLock { _ in
      owner.store(current, ordering: .relaxed)
      defer { owner.store(0, ordering: .relaxed) }
      value = body()
    }
    return value.unsafelyUnwrapped
  }

  private static var currentThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}
