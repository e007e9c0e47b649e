/// Values for the parameters of a statement, in order.
public struct StatementArguments: Sendable, ExpressibleByArrayLiteral {
  /// The values.
  public private(set) var values: [DatabaseValue]

  /// No values.
  public init() { values = [] }

  /// These values; nil is NULL.
  public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) { self.init(elements) }

  /// These values; nil is NULL.
  public init(_ elements: some Sequence<(any DatabaseValueConvertible)?>) {
    values = elements.map { $0?.databaseValue ?? .null }
  }

  /// These values.
  public init(_ elements: some Sequence<some DatabaseValueConvertible>) { values = elements.map(\.databaseValue) }

  /// The values of both, one after the other.
  public static func + (left: StatementArguments, right: StatementArguments) -> StatementArguments {
    var sum = left
    sum.values += right.values
    return sum
  }

  /// Adds the values of the other behind its own.
  public static func += (left: inout StatementArguments, right: StatementArguments) { left = left + right }
}
