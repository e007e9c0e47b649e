import Synchronization

/// Keeps the first of the values that it is given.
final class FirstAnswer: Sendable {
  private let answer = Mutex<Bool?>(nil)

  var value: Bool? { answer.withLock { $0 } }

  func give(_ value: Bool) {
    answer.withLock { $0 = $0 ?? value }
  }
}
