import HeapModule

/// What is to be called when, the earliest first.
///
/// An alarm for an instant of the wall clock has a deadline too: the moment at which the instant would come if the clock went on as it did
/// when the alarm was set. Where the clock was set back meanwhile that is the earlier of the two.
struct AlarmQueue {
  typealias Body = @Sendable () -> Void

  private struct Alarm {
    var instant: Int64
    var deadline: Int64
    var body: Body
  }

  private struct Entry: Comparable {
    var due: Int64
    var number: UInt64
    static func < (left: Entry, right: Entry) -> Bool { (left.due, left.number) < (right.due, right.number) }
  }

  private var entries = Heap<Entry>()
  private var alarms: [UInt64: Alarm] = [:]
  private var lastNumber: UInt64 = 0

  /// When the earliest is due.
  var next: Int64? {
    mutating get {
      dropCancelled()
      return entries.min?.due
    }
  }

  /// How many are waiting.
  var count: Int { alarms.count }

  /// Adds one; those that are due at the same time are called in the order in which they were added.
  ///
  /// - Parameters:
  ///   - instant: When it is due.
  ///   - deadline: When it is due at the latest, by a clock that is never set; .max where that is the queue's own clock.
  ///   - body: What is to be called.
  /// - Returns: The number by which it can be taken back.
  mutating func add(at instant: Int64, deadline: Int64 = .max, _ body: @escaping Body) -> UInt64 {
    lastNumber += 1
    entries.insert(Entry(due: instant, number: lastNumber))
    alarms[lastNumber] = Alarm(instant: instant, deadline: deadline, body: body)
    return lastNumber
  }

  /// Takes one back, and returns it so that what it holds is not released under a lock.
  mutating func remove(_ number: UInt64) -> Body? {
    guard let alarm = alarms.removeValue(forKey: number) else { return nil }
    // A cancelled entry leaves the heap when it comes up; when most are such leftovers the heap is built anew.
    if entries.count > 64, entries.count > alarms.count * 4 {
      entries = Heap(entries.unordered.filter { alarms[$0.number] != nil })
    }
    return alarm.body
  }

  /// Takes the earliest where it is due at `now`.
  mutating func popDue(at now: Int64) -> Body? {
    dropCancelled()
    guard let first = entries.min, first.due <= now else { return nil }
    entries.removeMin()
    return alarms.removeValue(forKey: first.number)?.body
  }

  /// The wall clock was set: it is `offset` ahead of the one by which deadlines are measured.
  mutating func clockWasSet(offset: Int64) {
    entries = Heap(
      alarms.map { number, alarm in
        Entry(due: min(alarm.instant, alarm.deadline.addingSaturating(offset)), number: number)
      })
  }

  private mutating func dropCancelled() {
    while let first = entries.min, alarms[first.number] == nil { entries.removeMin() }
  }
}
