import Operations
import Synchronization

/// Ends a wait shortly after an event. Further events during that time have no effect: they could not end it sooner.
final class EarlyFiring: Sendable {
  private enum State {
    case idle
    case pending(Task<Void, Never>)
    case ended
  }

  private let state = Mutex(State.idle)
  /// The source of the events, which holds this in its list.
  private let source = Mutex<EarlySource?>(nil)
  private let news: EarlyNews
  private let onWake: @Sendable () -> Void

  init(_ news: EarlyNews, onWake: @escaping @Sendable () -> Void) {
    self.news = news
    self.onWake = onWake
  }

  /// Notes that events come from `source` until this ends.
  func join(_ source: EarlySource) {
    self.source.withLock { $0 = source }
  }

  /// Handles an event. Any thread.
  func fire() {
    let delay = drawDelay()
    state.withLock { state in
      guard case .idle = state else { return }
      state = .pending(
        Task { [delayer = news.delayer, onWake, weak self] in
          do {
            try await delayer.delay(for: delay)
            onWake()
          } catch {
            // The wait has ended, or the clock fails, which the wait itself will notice.
          }
          self?.settle()
        })
    }
  }

  /// Ends the wait.
  func end() {
    source.withLock { $0.take() }?.remove(self)
    let task: Task<Void, Never>? = state.withLock { state in
      defer { state = .ended }
      if case .pending(let task) = state { return task }
      return nil
    }
    task?.cancel()
  }

  /// Returns a random delay from zero to less than the jitter, so that not all waits end at the same instant.
  private func drawDelay() -> Duration {
    let width = news.early.jitter.attoseconds
    guard width > 0 else { return .zero }
    var random = news.random
    return Duration(attoseconds: Int128.random(in: 0..<width, using: &random))
  }

  private func settle() {
    state.withLock { state in
      if case .pending = state { state = .idle }
    }
  }
}

/// Tracks a boolean and detects when it becomes true.
final class Turn: Sendable {
  private let isTrue: Mutex<Bool?>

  /// Nil means not known yet, so that the first value is not a change.
  init(_ isTrue: Bool?) {
    self.isTrue = Mutex(isTrue)
  }

  /// Updates the value.
  ///
  /// - Returns: Whether it changed from false to true.
  func take(_ news: Bool) -> Bool {
    isTrue.withLock { isTrue in
      defer { isTrue = news }
      return news && isTrue == false
    }
  }
}
