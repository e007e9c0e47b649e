import DequeModule

/// Lets one operation of a run at a time hold large results that it has read: hundreds of items may ask for the same one at once. *On the loop.*
final class ReadingGate {
  private(set) var holder: Int?
  private var waiting: Deque<(ordinal: Int, continuation: CheckedContinuation<Void, Never>)> = []

  /// Returns when nobody else holds anything. The caller then does, until ``leave(_:)``.
  func enter(_ ordinal: Int, isolation: isolated (any Actor)? = #isolation) async {
    guard holder != nil else { return holder = ordinal }
    await withCheckedContinuation { waiting.append((ordinal, $0)) }
  }

  /// The operation holds nothing any more, if it did: the next one does.
  func leave(_ ordinal: Int) {
    guard holder == ordinal else { return }
    let next = waiting.popFirst()
    holder = next?.ordinal
    next?.continuation.resume()
  }
}
