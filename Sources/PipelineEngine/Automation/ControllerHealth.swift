import Operations
import RunHistory
import Synchronization

/// A problem that prevents a controller from working.
package struct ControllerTrouble: Sendable, Hashable {
  /// The controller, such as `cron`.
  package var controller: String
  /// What happened last, for people to read.
  package var reason: String
  /// When the problems began: the controller has not worked for long since.
  package var since: RecordTime
  /// Whether it is not started again.
  package var isOver: Bool

  package init(controller: String, reason: String, since: RecordTime, isOver: Bool) {
    self.controller = controller
    self.reason = reason
    self.since = since
    self.isOver = isOver
  }
}

/// The health of a controller. One that fails repeatedly is in trouble from its first failure until it has worked for a minute. May be used from any thread.
final class ControllerHealth: Sendable {
  private struct State {
    var trouble: ControllerTrouble?
    var failures = 0
    /// When it failed last, by the monotonic clock.
    var failedAt: Duration?
    /// Waits until it has worked for long enough.
    var recovery: Task<Void, Never>?
  }

  /// How long it must have worked to be out of trouble.
  private static let recovery = Duration.seconds(60)

  private let controller: String
  private let services: HostServices
  private let tell: @Sendable (ControllerTrouble?) -> Void
  private let state = Mutex(State())

  /// `tell` is called when its trouble changes or ends.
  init(of controller: String, _ services: HostServices, tell: @escaping @Sendable (ControllerTrouble?) -> Void) {
    self.controller = controller
    self.services = services
    self.tell = tell
  }

  func failed(because reason: String, isOver: Bool) {
    let now = services.now()
    change { state in
      state.failures += 1
      state.trouble = ControllerTrouble(
        controller: controller, reason: reason, since: state.trouble?.since ?? now, isOver: isOver)
    }
  }

  /// Notes an error that it has reported without ending. It is out of trouble when twice the time between its last two errors has passed without another
  /// one, and at least a minute.
  func erred(because reason: String) {
    let now = services.clock.monotonic()
    let former = state.withLock { state in
      defer { state.failedAt = now }
      return state.failedAt
    }
    failed(because: reason, isOver: false)
    awaitRecovery(after: max(Self.recovery, former.map { (now - $0) * 2 } ?? .zero))
  }

  /// Notes that it has started, perhaps again.
  func begins() {
    change { $0.trouble?.isOver = false }
    awaitRecovery(after: Self.recovery)
  }

  /// Ends the trouble after this time, unless it has failed again by then.
  private func awaitRecovery(after time: Duration) {
    let failures = state.withLock { $0.trouble == nil ? nil : $0.failures }
    guard let failures else { return }
    let delayer = services.context.operationDelayer
    let recovery = Task { [weak self] in
      guard (try? await delayer.delay(for: time)) != nil else { return }
      self?.change { if $0.failures == failures { $0.trouble = nil } }
    }
    let former = state.withLock { state in
      defer { state.recovery = recovery }
      return state.recovery
    }
    former?.cancel()
  }

  deinit { state.withLock { $0.recovery }?.cancel() }

  private func change(_ body: (inout State) -> Void) {
    let (former, now) = state.withLock { state in
      let former = state.trouble
      body(&state)
      return (former, state.trouble)
    }
    if former != now { tell(now) }
  }
}
