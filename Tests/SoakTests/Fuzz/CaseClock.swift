import Foundation
import Synchronization

/// Times one case of a fuzzer after another, and ends the process when one hangs: code that hangs cannot be stopped otherwise, and the
/// name of the case would be lost in the time limit of the whole suite.
final class CaseClock: Sendable {
  /// What a case may take; much more than any needs, because the machine may be busy.
  static let limit = Duration.seconds(2)
  /// When a case counts as hanging.
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

  /// Ends the watch.
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
