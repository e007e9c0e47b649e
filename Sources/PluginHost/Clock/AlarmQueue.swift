import HeapModule

/// What is to be called when, the earliest first.
struct AlarmQueue {
  typealias Body = @Sendable () -> Void

  private struct Entry: Comparable {
    var instant: Int64
    var number: UInt64
    static func < (left: Entry, right: Entry) -> Bool { (left.instant, left.number) < (right.instant, right.number) }
  }

  private var entries = Heap<Entry>()
  private var bodies: [UInt64: Body] = [:]
  private var lastNumber: UInt64 = 0

  /// When the earliest is due.
  var next: Int64? {
    mutating get {
      dropCancelled()
      return entries.min?.instant
    }
  }

  /// How many are waiting.
  var count: Int { bodies.count }

  /// Adds one; those of the same instant are called in the order in which they were added.
  mutating func add(at instant: Int64, _ body: @escaping Body) -> UInt64 {
    lastNumber += 1
    entries.insert(Entry(instant: instant, number: lastNumber))
    bodies[lastNumber] = body
    return lastNumber
  }

  /// Takes one back, and returns it so that what it holds is not released under a lock.
  mutating func remove(_ number: UInt64) -> Body? {
    guard let body = bodies.removeValue(forKey: number) else { return nil }
    // A cancelled entry leaves the heap when it comes up; when most are such leftovers the heap is built anew.
    if entries.count > 64, entries.count > bodies.count * 4 {
      entries = Heap(entries.unordered.filter { bodies[$0.number] != nil })
    }
    return body
  }

  /// Takes the earliest where it is due at `now`.
  mutating func popDue(at now: Int64) -> Body? {
    dropCancelled()
    guard let first = entries.min, first.instant <= now else { return nil }
    entries.removeMin()
    return bodies.removeValue(forKey: first.number)
  }

  private mutating func dropCancelled() {
    while let first = entries.min, bodies[first.number] == nil { entries.removeMin() }
  }
}
