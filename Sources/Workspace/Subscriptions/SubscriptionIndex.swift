/// The subscribers of one type, found by what a row says.
struct SubscriptionIndex {
  private var objects: [ObjectKey: [any Subscriber]] = [:]
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
      objects[key, default: []].append(subscriber)
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
      objects[key]?.removeAll { $0 === subscriber }
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

  /// Whether somebody follows an object.
  var hasObjects: Bool { !objects.isEmpty }

  /// Whether somebody follows a result.
  var hasResults: Bool { !(others.isEmpty && values.isEmpty && intervals.isEmpty) }

  /// The subscribers of the object.
  func subscribers(of key: ObjectKey) -> [any Subscriber] { objects[key] ?? [] }

  /// Adds the results in which a row may be that has these values in its columns.
  mutating func findResults(for row: (_ column: Int) -> SQLValue?, into found: inout Set<UInt64>) {
    if found.count == all.count { return }
    found.formUnion(others)
    for (column, choices) in values {
      if let value = row(column), let subscribers = choices[value] { found.formUnion(subscribers) }
    }
    for column in intervals.keys {
      guard let value = row(column), value != .null else { continue }
      intervals[column]?.find(value) { found.insert($0) }
    }
  }
}
