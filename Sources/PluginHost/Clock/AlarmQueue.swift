import HeapModule

/// A queue of alarms, the earliest first.
///
/// An alarm for an instant of the wall clock also has a deadline: the moment at which the instant would come if the clock were not set after the
/// alarm was added. If the clock is set back, the deadline is the earlier of the two.
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

  /// The time at which the earliest alarm is due.
  var next: Int64? {
    mutating get {
      dropCancelled()
      return entries.min?.due
    }
  }

  /// The number of waiting alarms.
  var count: Int { alarms.count }

  /// Adds an alarm. Alarms that are due at the same time are called in the order in which they were added.
  ///
  /// - Parameters:
  ///   - instant: The time at which it is due.
  ///   - deadline: The time at which it is due at the latest, by a clock that is never set; .max if that is the queue's own clock.
  ///   - body: The function to call.
  /// - Returns: The number by which it can be removed.
  mutating func add(at instant: Int64, deadline: Int64 = .max, _ body: @escaping Body) -> UInt64 {
    lastNumber += 1
    entries.insert(Entry(due: instant, number: lastNumber))
    alarms[lastNumber] = Alarm(instant: instant, deadline: deadline, body: body)
    return lastNumber
  }

  /// Removes an alarm. Returns its body, so that the caller can release it without holding a lock.
  mutating func remove(_ number: UInt64) -> Body? {
    guard let alarm = alarms.removeValue(forKey: number) else { return nil }
    // A cancelled entry leaves the heap when it comes up; when most entries are cancelled, the heap is rebuilt.
    if entries.count > 64, entries.count > alarms.count * 4 {
      entries = Heap(entries.unordered.filter { alarms[$0.number] != nil })
    }
    return alarm.body
  }

  /// Removes and returns the earliest alarm if it is due at `now`.
  mutating func popDue(at now: Int64) -> Body? {
    dropCancelled()
    guard let first = entries.min, first.due <= now else { return nil }
    entries.removeMin()
    return alarms.removeValue(forKey: first.number)?.body
  }

  /// Notes that the wall clock was set: it is now `offset` ahead of the clock that measures deadlines.
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
