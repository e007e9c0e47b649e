/// The subscribers of one type, indexed by the contents of rows.
struct SubscriptionIndex {
  private var objects: [ObjectKey: [any Subscriber]] = [:]
  private var values: [Int: [SQLValue: Set<UInt64>]] = [:]
  private var intervals: [Int: IntervalIndex] = [:]
  private var others: Set<UInt64> = []
  /// Subscribers to one group of the objects.
  private var groups: [String: Set<UInt64>] = [:]
  /// All other subscribers.
  private var ungrouped: Set<UInt64> = []
  /// The range by which each result is indexed.
  private var places: [UInt64: RowRange] = [:]
  /// All ranges of the results that have several.
  private var ranges: [UInt64: [RowRange]] = [:]
  /// All subscribers.
  private(set) var all: Set<UInt64> = []

  var isEmpty: Bool { all.isEmpty }

  mutating func insert(_ subscriber: any Subscriber) {
    let number = subscriber.mark.number
    all.insert(number)
    if let group = subscriber.group { groups[group, default: []].insert(number) } else { ungrouped.insert(number) }
    if let key = subscriber.key {
      objects[key, default: []].append(subscriber)
      return
    }
    if subscriber.ranges.count > 1 { ranges[number] = subscriber.ranges }
    let place = place(for: subscriber.ranges)
    places[number] = place
    switch place {
    case .nothing: break
    case .everything: others.insert(number)
    case .values(let column, let choices):
      for value in choices { values[column, default: [:]][value, default: []].insert(number) }
    case .interval(let column, let low, let high):
      intervals[column, default: IntervalIndex()].insert(number, low: low, high: high)
    }
  }

  /// Returns the range that finds the fewest other results: `state == queued && id == 7` of a thousand IDs is indexed by the ID.
  private func place(for ranges: [RowRange]) -> RowRange {
    func load(_ range: RowRange) -> Int {
      guard case .values(let column, let choices) = range else { return .max }
      return choices.reduce(0) { $0 + 1 + (values[column]?[$1]?.count ?? 0) }
    }
    // Values are narrower than bounds; bounds of one column become one interval.
    return ranges.filter { load($0) < .max }.min { load($0) < load($1) }
      ?? ranges.reduce(.everything) { $0.intersected(with: $1) }
  }

  mutating func remove(_ subscriber: any Subscriber) {
    let number = subscriber.mark.number
    all.remove(number)
    ungrouped.remove(number)
    if let group = subscriber.group {
      groups[group]?.remove(number)
      if groups[group]?.isEmpty == true { groups[group] = nil }
    }
    if let key = subscriber.key {
      objects[key]?.removeAll { $0 === subscriber }
      if objects[key]?.isEmpty == true { objects[key] = nil }
      return
    }
    ranges[number] = nil
    switch places.removeValue(forKey: number) {
    case nil, .nothing: break
    case .everything: others.remove(number)
    case .values(let column, let choices):
      for value in choices {
        values[column]?[value]?.remove(number)
        if values[column]?[value]?.isEmpty == true { values[column]?[value] = nil }
      }
      if values[column]?.isEmpty == true { values[column] = nil }
    case .interval(let column, _, _):
      intervals[column]?.remove(number)
      if intervals[column]?.isEmpty == true { intervals[column] = nil }
    }
  }

  /// Whether there are subscribers to objects.
  var hasObjects: Bool { !objects.isEmpty }

  /// Whether there are subscribers to results.
  var hasResults: Bool { !(others.isEmpty && values.isEmpty && intervals.isEmpty) }

  /// Returns the subscribers to an object.
  func subscribers(of key: ObjectKey) -> [any Subscriber] { objects[key] ?? [] }

  /// Returns the subscribers notified of changes in these groups.
  func subscribers(in changed: Set<String>) -> Set<UInt64> {
    changed.reduce(into: ungrouped) { found, group in if let own = groups[group] { found.formUnion(own) } }
  }

  /// Adds the results that may contain a row with these values in its columns.
  mutating func findResults(for row: (_ column: Int) -> SQLValue?, into found: inout Set<UInt64>) {
    if found.count == all.count { return }
    found.formUnion(others)
    for (column, choices) in values {
      guard let value = row(column), let numbers = choices[value] else { continue }
      for number in numbers where isAdmitted(row, by: number) { found.insert(number) }
    }
    for column in intervals.keys {
      guard let value = row(column), value != .null else { continue }
      var numbers: [UInt64] = []
      intervals[column]?.find(value) { numbers.append($0) }
      for number in numbers where isAdmitted(row, by: number) { found.insert(number) }
    }
  }

  private func isAdmitted(_ row: (_ column: Int) -> SQLValue?, by number: UInt64) -> Bool {
    ranges[number]?.allSatisfy { $0.admits(row) } ?? true
  }
}
