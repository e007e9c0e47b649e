/// Values for the parameters of a statement, in order.
public struct StatementArguments: Sendable, ExpressibleByArrayLiteral {
  /// The values.
  public let values: [DatabaseValue]

  /// Creates an empty list of arguments.
  public init() { values = [] }

  /// Creates arguments from values; nil is NULL.
  public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) { self.init(elements) }

  /// Creates arguments from values; nil is NULL.
  public init(_ elements: some Sequence<(any DatabaseValueConvertible)?>) {
    values = elements.map { $0?.databaseValue ?? .null }
  }

  /// Creates arguments from values.
  public init(_ elements: some Sequence<some DatabaseValueConvertible>) { values = elements.map(\.databaseValue) }
}
