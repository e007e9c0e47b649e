/// The rows for which a condition can be true, judged by one column. It admits too many rows rather than too few.
enum RowRange: Sendable {
  case everything
  case nothing
  /// The column has one of these values.
  case values(column: Int, Set<SQLValue>)
  /// The column's value is not missing and within the bounds.
  case interval(column: Int, low: SQLValue?, high: SQLValue?)

  init(of node: QueryNode?, in table: TableDescription) {
    guard let node else {
      self = .everything
      return
    }
    self = Self.range(of: node) { name in table.columns.firstIndex { $0.name == name } }
  }

  /// Returns the ranges that must all contain a row for the condition to be true; none if it implies no range.
  static func all(of node: QueryNode?, in table: TableDescription) -> [RowRange] {
    guard let node else { return [] }
    if case .and(let left, let right) = node { return all(of: left, in: table) + all(of: right, in: table) }
    let range = RowRange(of: node, in: table)
    if case .everything = range { return [] }
    return [range]
  }

  /// Returns whether a row with these values in its columns may be in the range.
  func admits(_ row: (_ column: Int) -> SQLValue?) -> Bool {
    switch self {
    case .everything: return true
    case .nothing: return false
    case .values(let column, let choices):
      guard let value = row(column) else { return true }
      return choices.contains(value)
    case .interval(let column, let low, let high):
      guard let value = row(column) else { return true }
      return value != .null && low.map { value.precedes($0) } != true && high?.precedes(value) != true
    }
  }

  private static func range(of node: QueryNode, _ place: (String) -> Int?) -> RowRange {
    func column(_ name: String, _ make: (Int) -> RowRange) -> RowRange { place(name).map(make) ?? .everything }
    switch node {
    case .and(let left, let right): return range(of: left, place).intersected(with: range(of: right, place))
    case .or(let left, let right): return range(of: left, place).united(with: range(of: right, place))
    case .binary(let sign, .column(let name), .value(let value)):
      return column(name) { comparison(sign, $0, value) }
    case .among(.column(let name), let choices): return column(name) { .values(column: $0, Set(choices)) }
    case .isNull(.column(let name)): return column(name) { .values(column: $0, [.null]) }
    case .between(.column(let name), .value(let low), .value(let high)):
      return column(name) { .interval(column: $0, low: low, high: high) }
    case .hasPrefix(.column(let name), let prefix, let end):
      return column(name) { .interval(column: $0, low: .text(prefix), high: end.map { .text($0) }) }
    default: return .everything
    }
  }

  private static func comparison(_ sign: String, _ column: Int, _ value: SQLValue) -> RowRange {
    switch sign {
    case "=", "IS": .values(column: column, [value])
    case ">", ">=": .interval(column: column, low: value, high: nil)
    case "<", "<=": .interval(column: column, low: nil, high: value)
    default: .everything
    }
  }

  func intersected(with other: RowRange) -> RowRange {
    switch (self, other) {
    case (.nothing, _), (_, .nothing): .nothing
    case (.everything, let range), (let range, .everything): range
    // Each of the two suffices by itself; the narrower one is found faster. Values are narrower than bounds.
    case (.values(_, let left), .values(_, let right)): left.count <= right.count ? self : other
    case (.values, _): self
    case (_, .values): other
    case (.interval(let column, let low, let high), .interval(let second, let otherLow, let otherHigh)):
      column != second
        ? self
        : .interval(
          column: column, low: Self.pick(low, otherLow) { $0.precedes($1) == true },
          high: Self.pick(high, otherHigh) { $1.precedes($0) == true })
    }
  }

  private static func pick(
    _ left: SQLValue?, _ right: SQLValue?, isWider: (SQLValue, SQLValue) -> Bool
  ) -> SQLValue? {
    guard let left else { return right }
    guard let right else { return left }
    return isWider(left, right) ? right : left
  }

  private func united(with other: RowRange) -> RowRange {
    switch (self, other) {
    case (.nothing, let range), (let range, .nothing): range
    case (.values(let column, let left), .values(let second, let right)) where column == second:
      .values(column: column, left.union(right))
    default: .everything
    }
  }
}
