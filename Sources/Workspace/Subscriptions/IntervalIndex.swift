/// Finds the intervals that contain a value, in time proportional to their number and the logarithm of the total.
///
/// A sorted array that is used as a balanced tree; each node knows the greatest upper bound below it. It is sorted again at the first query after a change.
struct IntervalIndex {
  private struct Entry {
    let low: SQLValue?
    let high: SQLValue?
    let number: UInt64
  }

  private var entries: [Entry] = []
  /// For each node: nil if its subtree has an interval without an upper bound, otherwise the greatest upper bound.
  private var highest: [SQLValue?] = []
  private var isSorted = true

  var isEmpty: Bool { entries.isEmpty }

  mutating func insert(_ number: UInt64, low: SQLValue?, high: SQLValue?) {
    entries.append(Entry(low: low, high: high, number: number))
    isSorted = false
  }

  mutating func remove(_ number: UInt64) {
    entries.removeAll { $0.number == number }
    isSorted = false
  }

  /// Calls `found` with each interval that may contain the value.
  mutating func find(_ value: SQLValue, _ found: (UInt64) -> Void) {
    if !isSorted { sort() }
    visit(0, entries.count, value, found)
  }

  private mutating func sort() {
    entries.sort { left, right in
      guard let right = right.low else { return false }
      guard let left = left.low else { return true }
      return left.precedes(right) ?? false
    }
    highest = Array(repeating: nil, count: entries.count)
    _ = findHighest(0, entries.count)
    isSorted = true
  }

  private mutating func findHighest(_ start: Int, _ end: Int) -> SQLValue? {
    let middle = (start + end) / 2
    var high = entries[middle].high
    for (from, to) in [(start, middle), (middle + 1, end)] where from < to {
      let other = findHighest(from, to)
      guard let one = high, let two = other else {
        high = nil
        continue
      }
      if one.precedes(two) ?? true { high = two }
    }
    highest[middle] = high
    return high
  }

  private func visit(_ start: Int, _ end: Int, _ value: SQLValue, _ found: (UInt64) -> Void) {
    guard start < end else { return }
    let middle = (start + end) / 2
    if let high = highest[middle], high.precedes(value) == true { return }
    visit(start, middle, value, found)
    let entry = entries[middle]
    // All following intervals have the same or a greater lower bound.
    if let low = entry.low, value.precedes(low) == true { return }
    if entry.high?.precedes(value) != true { found(entry.number) }
    visit(middle + 1, end, value, found)
  }
}
