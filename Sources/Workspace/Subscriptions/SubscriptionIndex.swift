/// The subscribers of one type, found by what a row says.
struct SubscriptionIndex {
  private var objects: [ObjectKey: Set<UInt64>] = [:]
  private var values: [Int: [SQLValue: Set<UInt64>]] = [:]
  private var intervals: [Int: IntervalIndex] = [:]
  private var others: Set<UInt64> = []
  /// All of them.
  private(set) var all: Set<UInt64> = []

  var isEmpty: Bool { all.isEmpty }

  mutating func insert(_ subscriber: any Subscriber) {
    let number = subscriber.mark.number
    all.insert(number)
    if let key = subscriber.key {
      objects[key, default: []].insert(number)
      return
    }
    switch subscriber.range {
    case .nothing: break
    case .everything: others.insert(number)
    case .values(let column, let choices):
      for value in choices { values[column, default: [:]][value, default: []].insert(number) }
    case .interval(let column, let low, let high):
      intervals[column, default: IntervalIndex()].insert(number, low: low, high: high)
    }
  }

  mutating func remove(_ subscriber: any Subscriber) {
    let number = subscriber.mark.number
    all.remove(number)
    if let key = subscriber.key {
      objects[key]?.remove(number)
      if objects[key]?.isEmpty == true { objects[key] = nil }
      return
    }
    switch subscriber.range {
    case .nothing: break
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

  /// The subscribers of the object.
  func subscribers(of key: ObjectKey) -> Set<UInt64> { objects[key] ?? [] }

  /// Adds the results in which the row may be.
  mutating func findResults(for row: [SQLValue], into found: inout Set<UInt64>) {
    if found.count == all.count { return }
    found.formUnion(others)
    for (column, choices) in values {
      if let subscribers = choices[row[column]] { found.formUnion(subscribers) }
    }
    for column in intervals.keys where row[column] != .null {
      intervals[column]?.find(row[column]) { found.insert($0) }
    }
  }
}
