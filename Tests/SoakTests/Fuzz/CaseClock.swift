import Foundation
import Synchronization

/// Times the cases of a fuzzer, and ends the process when one hangs: hanging code cannot be stopped otherwise, and the time limit of the whole suite
/// would not name the case.
final class CaseClock: Sendable {
  /// The limit for one case; far more than any needs, because the computer may be busy.
  static let limit = Duration.seconds(2)
  /// The time after which a case counts as hanging.
  private static let patience = Duration.seconds(60)

  private struct State {
    var name = ""
    var began: ContinuousClock.Instant?
    var isOver = false
  }

  private let state = Mutex(State())

  init() {
    let thread = Thread { [weak self] in
      while let clock = self, clock.look() { Thread.sleep(forTimeInterval: 0.5) }
    }
    thread.start()
  }

  /// Runs one case and returns how long it took.
  func time(_ name: String, _ body: () -> Void) -> Duration {
    let began = ContinuousClock.now
    state.withLock { ($0.name, $0.began) = (name, began) }
    body()
    state.withLock { $0.began = nil }
    return ContinuousClock.now - began
  }

  /// Stops watching.
  func stop() { state.withLock { $0.isOver = true } }

  private func look() -> Bool {
    state.withLock { state in
      if let began = state.began, ContinuousClock.now - began > Self.patience {
        FileHandle.standardError.write(Data("a case hangs: \(state.name)\n".utf8))
        _exit(70)
      }
      return !state.isOver
    }
  }
}
