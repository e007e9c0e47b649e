extension QueryExpression where Value: OrderedValue {
  /// The minimum over all objects, or over each group; nil if there are none.
  public var minimum: QueryExpression<Root, Value?> {
    QueryExpression<Root, Value?>(node: .function("min", [node]), decode: { Value?.from($0) })
  }

  /// The maximum over all objects, or over each group; nil if there are none.
  public var maximum: QueryExpression<Root, Value?> {
    QueryExpression<Root, Value?>(node: .function("max", [node]), decode: { Value?.from($0) })
  }
}

extension QueryExpression where Value: ExpressibleByNilLiteral & ColumnValue {
  /// The minimum of the values that are not missing; nil if there are none.
  public var minimum: QueryExpression { QueryExpression(node: .function("min", [node]), decode: decode) }
  /// The maximum of the values that are not missing; nil if there are none.
  public var maximum: QueryExpression { QueryExpression(node: .function("max", [node]), decode: decode) }
}

extension Storable {
  /// The number of objects, in total or in each group: `select(Job.state, Job.count, groupedBy: [Job.state])`.
  public static var count: QueryExpression<Self, Int> { QueryExpression(node: .countAll, decode: { Int.from($0) }) }
}
