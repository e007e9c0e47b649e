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

/// The health of a controller. One that crashes repeatedly is in trouble from its first failure until it has worked for a minute. May be used from any thread.
final class ControllerHealth: Sendable {
  private struct State {
    var trouble: ControllerTrouble?
    var failures = 0
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

  /// Notes that it has started, perhaps again.
  func begins() {
    let failures = state.withLock { $0.trouble == nil ? nil : $0.failures }
    guard let failures else { return }
    change { $0.trouble?.isOver = false }
    let delayer = services.context.operationDelayer
    let recovery = Task { [weak self] in
      guard (try? await delayer.delay(for: Self.recovery)) != nil else { return }
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
