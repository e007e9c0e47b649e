import DequeModule

/// The operations of a run that may begin. An operation is in at most one of the two queues, each in the order in which dependencies ended; `early`
/// counts those taken ahead of their slots that have none yet.
final class ReadyQueue {
  /// The maximum number of processes prepared ahead of their slots. More would only hold descriptors.
  private static let earlyLimit = 2

  private var forSlot: Deque<Int> = []
  private var others: Deque<Int> = []
  private var early = 0
  /// What the scheduler waits on when there is nothing to start, and whether it is waiting. A separate flag, because it is checked for each operation
  /// and inspecting the continuation would be slow.
  private var wakeup: CheckedContinuation<Void, Never>?
  private var isAsleep = false

  /// Adds an operation whose dependencies allow it to run; `needsSlot` if it waits for nothing but a slot.
  func add(_ ordinal: Int, needsSlot: Bool) {
    if needsSlot { forSlot.append(ordinal) } else { others.append(ordinal) }
  }

  /// Takes the next operation that needs no slot to begin.
  func takeOther() -> Int? { others.popFirst() }

  /// The next operation that gets a free slot.
  var firstForSlot: Int? { forSlot.first }

  /// Removes the operation ``firstForSlot``, whose slot was taken.
  func removeFirstForSlot() { forSlot.removeFirst() }

  /// Takes the operation ``firstForSlot`` to be prepared ahead of its slot. Returns false if enough have been taken.
  func takeEarly() -> Bool {
    guard early < Self.earlyLimit else { return false }
    early += 1
    forSlot.removeFirst()
    return true
  }

  /// Notes that an operation that was taken ahead of its slot has one, or will never need it.
  func endEarly() { early -= 1 }

  /// Removes operations that must not begin.
  func remove(where isOver: (Int) -> Bool) {
    others.removeAll(where: isOver)
    forSlot.removeAll(where: isOver)
  }

  /// Whether there is nothing that may begin.
  var isEmpty: Bool { forSlot.isEmpty && others.isEmpty && early == 0 }

  /// Suspends the scheduler, which has nothing to start.
  func sleep(_ continuation: CheckedContinuation<Void, Never>) {
    wakeup = continuation
    isAsleep = true
  }

  /// Wakes the scheduler.
  func wake() {
    guard isAsleep else { return }
    isAsleep = false
    wakeup.take()?.resume()
  }

  /// Wakes the scheduler if operations wait for a slot, because slots may be free.
  func wakeForSlot() {
    if !forSlot.isEmpty { wake() }
  }
}
