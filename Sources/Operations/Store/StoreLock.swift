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
/// hold it: it is recorded as the owner, and other threads that want to change the store wait for it at the gate. This
/// is the only place where user code runs while others wait, because that is the purpose of
/// ``OperationStore/withExclusiveAccess(_:)``.
///
/// Uses pairs of calls instead of closures: the result of a closure would be generic, and looking up its type takes
/// longer than the change itself.
@usableFromInline
struct StoreLock: ~Copyable, Sendable {
  private let inner = Mutex<Void>(())
  private let gate = Mutex<Void>(())
  /// The thread in an exclusive section, or 0. Written while the inner lock is held.
  private let owner = Atomic<UInt>(0)

  /// Begins to read the store.
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

  /// Ends what one of the two functions above began.
  @usableFromInline
  func end() {
    inner._unsafeUnlock()
  }

  /// Whether the calling thread is in an exclusive section.
  var isExclusiveHere: Bool {
    let owner = owner.load(ordering: .relaxed)
    return owner != 0 && owner == Self.currentThread
  }

  /// Whether another thread is in an exclusive section. Reliable between ``beginReading()`` and ``end()``.
  var isExclusiveElsewhere: Bool {
    let owner = owner.load(ordering: .relaxed)
    return owner != 0 && owner != Self.currentThread
  }

  /// Begins an exclusive section, unless the calling thread is already in one.
  ///
  /// - Returns: Whether a section was begun and has to be ended.
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
