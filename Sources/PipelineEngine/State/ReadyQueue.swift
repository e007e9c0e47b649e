import DequeModule

/// The operations of a run that may begin: an operation is in at most one of the two queues, each in the order in which the dependencies ended, and `early` is how
/// many were taken ahead of their slots and have none yet.
final class ReadyQueue {
  /// How many processes may be ready ahead of their slots. More would only hold descriptors.
  private static let earlyLimit = 2

  private var forSlot: Deque<Int> = []
  private var others: Deque<Int> = []
  private var early = 0
  /// What the scheduler waits for where there is nothing to start, and whether it does: asked for each operation, where the continuation would be slow to
  /// look at.
  private var wakeup: CheckedContinuation<Void, Never>?
  private var isAsleep = false

  /// Adds an operation whose dependencies have ended well; `needsSlot` where it waits for nothing but a slot.
  func add(_ ordinal: Int, needsSlot: Bool) {
    if needsSlot { forSlot.append(ordinal) } else { others.append(ordinal) }
  }

  /// The next operation that needs no slot to begin.
  func takeOther() -> Int? { others.popFirst() }

  /// The next operation that a free slot is for.
  var firstForSlot: Int? { forSlot.first }

  /// Takes the operation that ``firstForSlot`` is, whose slot was taken.
  func removeFirstForSlot() { forSlot.removeFirst() }

  /// Takes the operation that ``firstForSlot`` is to be made ready ahead of its slot; false where enough are.
  func takeEarly() -> Bool {
    guard early < Self.earlyLimit else { return false }
    early += 1
    forSlot.removeFirst()
    return true
  }

  /// An operation that was taken ahead of its slot has it, or will never need it.
  func endEarly() { early -= 1 }

  /// Takes out what shall not begin.
  func remove(where isOver: (Int) -> Bool) {
    others.removeAll(where: isOver)
    forSlot.removeAll(where: isOver)
  }

  /// Whether there is nothing that may begin.
  var isEmpty: Bool { forSlot.isEmpty && others.isEmpty && early == 0 }

  /// The scheduler has nothing to start.
  func sleep(_ continuation: CheckedContinuation<Void, Never>) {
    wakeup = continuation
    isAsleep = true
  }

  /// Lets the scheduler look again.
  func wake() {
    guard isAsleep else { return }
    isAsleep = false
    wakeup.take()?.resume()
  }

  /// Slots may be free.
  func wakeForSlot() {
    if !forSlot.isEmpty { wake() }
  }
}
