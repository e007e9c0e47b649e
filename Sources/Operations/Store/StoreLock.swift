import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The lock of a store, with exclusive sections that last longer than one change.
///
/// The inner lock is held for single changes and never while user code runs. A thread in an exclusive section does not
/// hold it: it is noted as the owner, whom other threads that want to change something wait for at the gate. That is the
/// one place where user code runs while others wait, because that is what ``OperationStore/withExclusiveAccess(_:)`` is
/// asked for.
///
/// Pairs of calls instead of closures: what a closure would return is generic here, and finding out about its type takes
/// longer than the change itself.
@usableFromInline
struct StoreLock: ~Copyable, Sendable {
  private let inner = Mutex<Void>(())
  private let gate = Mutex<Void>(())
  /// The thread in an exclusive section, 0 for none. Written under the inner lock.
  private let owner = Atomic<UInt>(0)

  /// Begins to look at the store.
  @usableFromInline
  func beginReading() {
    inner._unsafeLock()
  }

  /// Begins to change the store; waits while another thread is in an exclusive section.
  @usableFromInline
  func beginChange() {
    while true {
      inner._unsafeLock()
      let owner = owner.load(ordering: .relaxed)
      if owner == 0 || owner == Self.currentThread { return }
      inner._unsafeUnlock()
      gate._unsafeLock()
      gate._unsafeUnlock()
    }
  }

  /// Ends what one of the two above began.
  @usableFromInline
  func end() {
    inner._unsafeUnlock()
  }

  /// Whether the calling thread is in an exclusive section.
  var isExclusiveHere: Bool {
    let owner = owner.load(ordering: .relaxed)
    return owner != 0 && owner == Self.currentThread
  }

  /// Whether another thread is in an exclusive section. Certain between ``beginReading()`` and ``end()``.
  var isExclusiveElsewhere: Bool {
    let owner = owner.load(ordering: .relaxed)
    return owner != 0 && owner != Self.currentThread
  }

  /// Begins an exclusive section, unless the calling thread is in one.
  ///
  /// - Returns: Whether it was begun, and has to be ended.
  func beginExclusive() -> Bool {
    guard !isExclusiveHere else { return false }
    gate._unsafeLock()
    inner._unsafeLock()
    owner.store(Self.currentThread, ordering: .relaxed)
    inner._unsafeUnlock()
    return true
  }

  /// Ends the exclusive section of the calling thread.
  func endExclusive() {
    inner._unsafeLock()
    owner.store(0, ordering: .relaxed)
    inner._unsafeUnlock()
    gate._unsafeUnlock()
  }

  private static var currentThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}
