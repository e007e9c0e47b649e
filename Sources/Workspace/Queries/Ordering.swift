/// A sort key. Objects that are equal in all sort keys are ordered by their own keys, so that the order is always total.
public struct Ordering<Root>: Sendable {
  /// The position of objects without the value.
  public enum Missing: String, Sendable {
    /// Before all others.
    case first = "NULLS FIRST"
    /// After all others.
    case last = "NULLS LAST"
  }

  let node: QueryNode
  let isDescending: Bool
  let missing: Missing

  /// Returns whether this orders by a column.
  func isBy(_ column: String) -> Bool {
    if case .column(column) = node { true } else { false }
  }
}

extension QueryExpression where Value: ColumnValue {
  /// Ascending, with missing values first.
  public var ascending: Ordering<Root> { ascending(missing: .first) }
  /// Descending, with missing values last.
  public var descending: Ordering<Root> { descending(missing: .last) }

  /// Returns an ascending order.
  public func ascending(missing: Ordering<Root>.Missing) -> Ordering<Root> {
    Ordering(node: node, isDescending: false, missing: missing)
  }

  /// Returns a descending order.
  public func descending(missing: Ordering<Root>.Missing) -> Ordering<Root> {
    Ordering(node: node, isDescending: true, missing: missing)
  }
}

/// The maximum number of objects.
public enum Limit: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// No limit.
  case noLimit
  /// At most this many; none if the number is negative.
  case limit(Int)

  /// At most this many.
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
