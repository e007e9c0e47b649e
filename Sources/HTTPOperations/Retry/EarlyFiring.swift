import Operations
import Synchronization

/// How an early retry is spread over time.
struct EarlySpread: Sendable {
  let jitter: Duration
  let delayer: any OperationDelayer
  private let random: OperationRandom

  init(jitter: Duration, context: OperationContext) {
    self.jitter = jitter
    delayer = context.operationDelayer
    random = context.operationRandom
  }

  /// A delay from nothing to below the jitter.
  func draw() -> Duration {
    let width = jitter.attoseconds
    guard width > 0 else { return .zero }
    var random = random
    return Duration(attoseconds: Int128.random(in: 0..<width, using: &random))
  }
}

/// Wakes a wait a little after an event. A further event while that goes on changes nothing: it would not come sooner.
final class EarlyFiring: Sendable {
  private enum State {
    case idle
    case pending(Task<Void, Never>)
    case ended
  }

  private let state = Mutex(State.idle)
  private let spread: EarlySpread
  private let onWake: @Sendable () -> Void

  init(spread: EarlySpread, onWake: @escaping @Sendable () -> Void) {
    self.spread = spread
    self.onWake = onWake
  }

  /// The event. From any thread.
  func fire() {
    let delay = spread.draw()
    state.withLock { state in
      guard case .idle = state else { return }
      state = .pending(
        Task { [spread, onWake, weak self] in
          do {
            try await spread.delayer.delay(for: delay)
            onWake()
          } catch {
            // The wait has ended, or time cannot be kept, which the wait itself will find.
          }
          self?.settle()
        })
    }
  }

  /// The wait is over.
  func end() {
    let task: Task<Void, Never>? = state.withLock { state in
      defer { state = .ended }
      if case .pending(let task) = state { return task }
      return nil
    }
    task?.cancel()
  }

  private func settle() {
    state.withLock { state in
      if case .pending = state { state = .idle }
    }
  }
}

/// Knows a condition, and tells when it turns true.
final class Turn: Sendable {
  private let isTrue: Mutex<Bool?>

  /// nil: not known yet, so that the first news is no turn.
  init(_ isTrue: Bool?) {
    self.isTrue = Mutex(isTrue)
  }

  /// Takes the news over.
  ///
  /// - Returns: Whether the condition was false, and is true now.
  func take(_ news: Bool) -> Bool {
    isTrue.withLock { isTrue in
      defer { isTrue = news }
      return news && isTrue == false
    }
  }
}
