import CProcess
import Glibc

/// A thread that has a name and runs one function, for what blocks or has to stay on one thread: the threads of the concurrency runtime are few, and others
/// wait for them.
package struct SystemThread: Sendable {
  /// The signals that a thread leaves to the others. They are blocked before it begins.
  package enum BlockedSignals: Sendable {
    /// Those that are blocked in the thread that starts it.
    case inherited
    /// All.
    case all
    /// All but those that a thread's own mistakes raise. One that libdispatch has begun, and what inherits its mask, blocks SIGABRT; this does not.
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
  ///   - name: For debuggers and `top`; at most 15 characters.
  ///   - signals: The signals that it does not take. Default: as in the calling thread.
  ///   - body: What it does. The thread ends with it.
  /// - Throws: ``SystemError`` where the system has no thread left.
  package init(
    _ name: String, blocking signals: BlockedSignals = .inherited, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    thread = try Self.create(name, signals, isDetached: false, body)
  }

  /// Starts a thread that nobody waits for.
  ///
  /// - Parameters:
  ///   - name: For debuggers and `top`; at most 15 characters.
  ///   - signals: The signals that it does not take. Default: as in the calling thread.
  ///   - body: What it does. The thread ends with it.
  /// - Throws: ``SystemError`` where the system has no thread left.
  package static func detach(
    _ name: String, blocking signals: BlockedSignals = .inherited, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    _ = try create(name, signals, isDetached: true, body)
  }

  /// Waits until the thread has ended. Must be called once.
  package func join() { pthread_join(thread, nil) }

  private static func create(
    _ name: String, _ signals: BlockedSignals, isDetached: Bool, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> pthread_t {
    assert(name.utf8.count <= 15, "the system takes no name of more than 15 characters")
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if isDetached { pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
    // The thread begins with the mask of the one that starts it: there is no moment at which it takes a signal.
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
  /// What a thread sets its mask to; nil where it stays.
  fileprivate var mask: sigset_t? {
    switch self {
    case .inherited: nil
    case .all: SignalMask.all
    case .allButFaults: SignalMask.allButFaults
    }
  }
}
