extension QueryExpression where Value: OrderedValue {
  /// The least over all objects, or over each group; nil of none.
  public var minimum: QueryExpression<Root, Value?> {
    QueryExpression<Root, Value?>(node: .function("min", [node]), decode: { Value?.from($0) })
  }

  /// The greatest over all objects, or over each group; nil of none.
  public var maximum: QueryExpression<Root, Value?> {
    QueryExpression<Root, Value?>(node: .function("max", [node]), decode: { Value?.from($0) })
  }
}

extension QueryExpression where Value: ExpressibleByNilLiteral & ColumnValue {
  /// The least of the values that are there; nil of none.
  public var minimum: QueryExpression { QueryExpression(node: .function("min", [node]), decode: decode) }
  /// The greatest of the values that are there; nil of none.
  public var maximum: QueryExpression { QueryExpression(node: .function("max", [node]), decode: decode) }
}

extension Storable {
  /// How many objects there are, in all or in each group: `select(Job.state, Job.count, groupedBy: [Job.state])`.
  public static var count: QueryExpression<Self, Int> { QueryExpression(node: .countAll, decode: { Int.from($0) }) }
}
