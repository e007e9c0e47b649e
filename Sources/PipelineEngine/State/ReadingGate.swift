import DequeModule

/// Lets only one operation of a run at a time hold large results that it has read, because hundreds of items may request the same one at once. *On
/// the event loop.*
final class ReadingGate {
  private(set) var holder: Int?
  private var waiting: Deque<(ordinal: Int, continuation: CheckedContinuation<Void, Never>)> = []

  /// Waits until no other operation holds anything. The caller then does, until ``leave(_:)``.
  func enter(_ ordinal: Int, isolation: isolated (any Actor)? = #isolation) async {
    guard holder != nil else { return holder = ordinal }
    await withCheckedContinuation { waiting.append((ordinal, $0)) }
  }

  /// Releases what the operation holds, if anything, to the next one waiting.
  func leave(_ ordinal: Int) {
    guard holder == ordinal else { return }
    let next = waiting.popFirst()
    holder = next?.ordinal
    next?.continuation.resume()
  }
}
