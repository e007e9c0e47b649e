import CLinuxObservers
import Glibc
import Operations
import Synchronization

/// Whether this process is in the foreground of its terminal: active while its process group is the one that the
/// terminal's input goes to. A process without a terminal is always active.
///
/// Changes are noticed by the signals of job control, SIGTSTP (Ctrl-Z) and SIGCONT (`fg`, `bg`), and not by polling. What
/// handled these signals before is called as before, and a process that Ctrl-Z stops by default is still stopped: after
/// the subscribers have been told that it is not active any more. Handlers that a host installs while somebody
/// subscribes have to call the ones they replace.
///
/// A shell that moves a *running* job to the foreground without a signal, as bash does, is not noticed until the next
/// signal; ``isApplicationActive`` and new subscriptions always know.
///
/// Handlers are called on the one thread that all observers of the process share, and must not keep it long.
public final class TerminalActivityObserver: ApplicationActivityObserver {
  /// The observer of this process's terminal. Signals belong to the whole process, so that there is no other.
  public static let shared = TerminalActivityObserver()

  private struct State {
    var subscriberCount = 0
    var watch: OperationSubscription?
    var isActive = true
    /// Whether the process is about to be stopped. The terminal still counts it as in the foreground then.
    var isStopping = false
    var changedAt: Timestamp?
    var failure: ObserverError?
  }

  private let state = Mutex(State())
  private let handlers = HandlerList<Bool>()
  private let clock: any OperationClock

  init(clock: any OperationClock = .system) {
    self.clock = clock
  }

  /// Whether this process has its terminal's input now. Asks the terminal, which takes some microseconds; false from Ctrl-Z until the process
  /// continues, as the subscribers are told.
  public var isApplicationActive: Bool {
    guard !state.withLock({ $0.isStopping }) else { return false }
    // Opening it anew each time also notices a terminal that has gone away, and one that has been acquired.
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard terminal >= 0 else { return true }
    defer { close(terminal) }
    let foreground = tcgetpgrp(terminal)
    return foreground < 0 || foreground == getpgrp()
  }

  /// When it last changed; nil where that was before the first subscription.
  public var activityChangedAt: Timestamp? { state.withLock { $0.watch == nil ? nil : $0.changedAt } }

  /// Why changes cannot be noticed; nil where they can, or where nobody has subscribed.
  public var failure: ObserverError? { state.withLock { $0.failure } }

  /// Calls `handler` at once, and then on the thread of the observers after each change.
  public func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription {
    begin()
    let subscription = handlers.subscribe(handler)
    handler(isApplicationActive)
    return OperationSubscription { [self] in
      subscription.cancel()
      end()
    }
  }

  private func begin() {
    let isActive = isApplicationActive
    state.withLock { state in
      state.subscriberCount += 1
      guard state.watch == nil else { return }
      do throws(ObserverError) {
        let arrival = try Descriptor(penstock_job_descriptor(), from: "eventfd")
        let watch = try ObserverThread.shared.watch(arrival, for: EPOLLIN.rawValue) { [weak self] _ in
          self?.noticeSignals(arrival)
        }
        let error = penstock_begin_job_signals()
        guard error == 0 else { throw .systemCall("sigaction", error) }
        (state.watch, state.isActive, state.changedAt, state.failure) = (watch, isActive, nil, nil)
      } catch {
        state.failure = error
      }
    }
  }

  private func end() {
    let watch: OperationSubscription? = state.withLock { state in
      state.subscriberCount -= 1
      guard state.subscriberCount == 0, state.watch != nil else { return nil }
      penstock_end_job_signals()
      defer { state.watch = nil }
      return state.watch
    }
    watch?.cancel()
  }

  /// On the thread of the observers.
  private func noticeSignals(_ arrival: Descriptor) {
    var count: UInt64 = 0
    guard read(arrival.number, &count, MemoryLayout<UInt64>.size) > 0 else { return }
    if penstock_take_job_signals() & PENSTOCK_JOB_STOP != 0 {
      // A shell may have moved the process to the foreground without a signal: whoever asked since then knows, and has to hear of the end.
      take(isApplicationActive)
      state.withLock { $0.isStopping = true }
      take(false)
      penstock_stop_job()
      state.withLock { $0.isStopping = false }
    }
    take(isApplicationActive)
  }

  private func take(_ isActive: Bool) {
    let now = clock.now()
    let isChange = state.withLock { state in
      guard state.isActive != isActive else { return false }
      (state.isActive, state.changedAt) = (isActive, now)
      return true
    }
    if isChange { handlers.notify(isActive) }
  }
}
