/// One key of an order. Objects that are equal in all keys follow in the order of their own keys, so that an order is never open.
public struct Ordering<Root>: Sendable {
  /// Where objects without the value come.
  public enum Missing: String, Sendable {
    /// Before all others.
    case first = "NULLS FIRST"
    /// After all others.
    case last = "NULLS LAST"
  }

  let node: QueryNode
  let isDescending: Bool
  let missing: Missing

  /// Whether it is the order of a column.
  func isBy(_ column: String) -> Bool {
    if case .column(column) = node { true } else { false }
  }
}

extension QueryExpression where Value: ColumnValue {
  /// The least first; missing values before all others.
  public var ascending: Ordering<Root> { ascending(missing: .first) }
  /// The greatest first; missing values after all others.
  public var descending: Ordering<Root> { descending(missing: .last) }

  /// The least first.
  public func ascending(missing: Ordering<Root>.Missing) -> Ordering<Root> {
    Ordering(node: node, isDescending: false, missing: missing)
  }

  /// The greatest first.
  public func descending(missing: Ordering<Root>.Missing) -> Ordering<Root> {
    Ordering(node: node, isDescending: true, missing: missing)
  }
}

/// How many objects at most.
public enum Limit: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// All of them.
  case noLimit
  /// The first so many; none if the number is negative.
  case limit(Int)

  /// The first so many.
  public init(integerLiteral value: Int) {
    self = .limit(value)
  }

  var count: Int64 {
    switch self {
    case .noLimit: -1
    case .limit(let count): Int64(max(0, count))
    }
  }
}
