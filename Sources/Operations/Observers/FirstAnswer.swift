import Synchronization

/// Keeps the first of the values given to it.
final class FirstAnswer: Sendable {
  private let answer = Mutex<Bool?>(nil)

  var value: Bool? { answer.withLock { $0 } }

  func give(_ value: Bool) {
    answer.withLock { $0 = $0 ?? value }
  }
}
