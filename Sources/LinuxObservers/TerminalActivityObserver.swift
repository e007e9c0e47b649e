import CLinuxObservers
import Glibc
import Operations
import Synchronization

/// Observes whether this process is in the foreground of its terminal: it is active while its process group receives the terminal's input. A process
/// without a terminal is always active.
///
/// Changes are detected through the job control signals SIGTSTP (Ctrl-Z) and SIGCONT (`fg`, `bg`), not by polling. Previous handlers of these signals are
/// still called, and a process that Ctrl-Z stops by default still stops, after its subscribers have been notified that it is inactive. A host
/// that installs handlers while there are subscribers must call the ones it replaces.
///
/// If a shell moves a *running* job to the foreground without a signal, as bash does, this is not noticed until the next signal;
/// ``isApplicationActive`` and new subscriptions are always up to date.
///
/// Handlers are called on the single thread that all observers of the process share, and must return quickly.
public final class TerminalActivityObserver: ApplicationActivityObserver {
  /// The observer of this process's terminal. It is the only one, because signals belong to the whole process.
  public static let shared = TerminalActivityObserver()

  private struct State {
    var subscriberCount = 0
    var watch: OperationSubscription?
    var isActive = true
    /// Whether the process is about to be stopped. The terminal still counts it as in the foreground.
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

  /// Whether this process has its terminal's input now. Each access queries the terminal, which takes some microseconds. The value is false from Ctrl-Z until
  /// the process continues, in agreement with what subscribers receive.
  public var isApplicationActive: Bool {
    guard !state.withLock({ $0.isStopping }) else { return false }
    // Reopening the terminal on each access also detects one that was lost or acquired.
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard terminal >= 0 else { return true }
    defer { close(terminal) }
    let foreground = tcgetpgrp(terminal)
    return foreground < 0 || foreground == getpgrp()
  }

  /// When the activity last changed; nil if that was before the first subscription.
  public var activityChangedAt: Timestamp? { state.withLock { $0.watch == nil ? nil : $0.changedAt } }

  /// The reason that changes cannot be detected; nil if they can, or if there has been no subscription.
  public var failure: ObserverError? { state.withLock { $0.failure } }

  /// Calls `handler` at once, and then on the observers' thread after each change.
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

  /// Processes arrived signals. Runs on the observers' thread.
  private func noticeSignals(_ arrival: Descriptor) {
    var count: UInt64 = 0
    guard read(arrival.number, &count, MemoryLayout<UInt64>.size) > 0 else { return }
    if penstock_take_job_signals() & PENSTOCK_JOB_STOP != 0 {
      // A shell may have moved the process to the foreground without a signal. Subscribers that read the state since then know, and need to see it end.
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
