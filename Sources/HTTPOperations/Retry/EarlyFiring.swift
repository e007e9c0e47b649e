import Operations
import Synchronization

/// Wakes a wait a little after an event. A further event while that goes on changes nothing: it would not come sooner.
final class EarlyFiring: Sendable {
  private enum State {
    case idle
    case pending(Task<Void, Never>)
    case ended
  }

  private let state = Mutex(State.idle)
  /// Whoever tells of the events has it in a list.
  private let source = Mutex<EarlySource?>(nil)
  private let news: EarlyNews
  private let onWake: @Sendable () -> Void

  init(_ news: EarlyNews, onWake: @escaping @Sendable () -> Void) {
    self.news = news
    self.onWake = onWake
  }

  /// Events come from `source` until this ends.
  func join(_ source: EarlySource) {
    self.source.withLock { $0 = source }
  }

  /// The event. From any thread.
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
            // The wait has ended, or time cannot be kept, which the wait itself will find.
          }
          self?.settle()
        })
    }
  }

  /// The wait is over.
  func end() {
    source.withLock { $0.take() }?.remove(self)
    let task: Task<Void, Never>? = state.withLock { state in
      defer { state = .ended }
      if case .pending(let task) = state { return task }
      return nil
    }
    task?.cancel()
  }

  /// From nothing to below the jitter, so that not all come back at one instant.
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
