/// Values for the parameters of a statement, in order.
public struct StatementArguments: Sendable, ExpressibleByArrayLiteral {
  /// The values.
  public let values: [DatabaseValue]

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
}
