import CProcess
import Glibc

/// A named thread that runs one function, for code that blocks or must stay on one thread. Such code would block the concurrency runtime's few
/// threads for others.
package struct SystemThread: Sendable {
  /// The signals that a thread blocks from its start.
  package enum BlockedSignals: Sendable {
    /// The signals that are blocked in the starting thread.
    case inherited
    /// All signals.
    case all
    /// All signals except those raised by a thread's own faults. Threads of libdispatch, and those that inherit their mask, block SIGABRT; this set does not.
    case allButFaults
  }

  private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  private let thread: pthread_t

  /// Starts a thread that must be joined.
  ///
  /// - Parameters:
  ///   - name: The name shown in debuggers and `top`; at most 15 characters.
  ///   - signals: The signals to block. Default: those of the calling thread.
  ///   - body: The function to run. The thread ends when it returns.
  /// - Throws: ``SystemError`` if the system cannot create another thread.
  package init(
    _ name: String, blocking signals: BlockedSignals = .inherited, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    thread = try Self.create(name, signals, isDetached: false, body)
  }

  /// Starts a thread that is not joined.
  ///
  /// - Parameters:
  ///   - name: The name shown in debuggers and `top`; at most 15 characters.
  ///   - signals: The signals to block. Default: those of the calling thread.
  ///   - body: The function to run. The thread ends when it returns.
  /// - Throws: ``SystemError`` if the system cannot create another thread.
  package static func detach(
    _ name: String, blocking signals: BlockedSignals = .inherited, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    _ = try create(name, signals, isDetached: true, body)
  }

  /// Waits until the thread has ended. Must be called exactly once.
  package func join() { pthread_join(thread, nil) }

  private static func create(
    _ name: String, _ signals: BlockedSignals, isDetached: Bool, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> pthread_t {
    assert(name.utf8.count <= 15, "the system takes no name of more than 15 characters")
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if isDetached { pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
    // The thread inherits the mask of the starting thread, so that it never receives a blocked signal.
    let former = signals.mask.map(SignalMask.set)
    defer { _ = former.map(SignalMask.set) }
    let reference = Unmanaged.passRetained(Body(name, body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        penstock_name_thread(body.name)
        body.run()
        return nil
      }, reference.toOpaque())
    guard error == 0 else {
      reference.release()
      throw SystemError("pthread_create", error)
    }
    return thread
  }
}

extension SystemThread.BlockedSignals {
  /// The mask for the new thread; nil to leave it unchanged.
  fileprivate var mask: sigset_t? {
    switch self {
    case .inherited: nil
    case .all: SignalMask.all
    case .allButFaults: SignalMask.allButFaults
    }
  }
}
