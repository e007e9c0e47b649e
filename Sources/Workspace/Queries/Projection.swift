extension Fetch {
  /// Returns a tuple of values for each object, or for each group.
  ///
  /// ```swift
  /// for (id, attempt) in try workspace.fetch(for: Job.self).select(Job.id, Job.attempt) { … }
  /// let slowest = try workspace.fetch(for: Job.self).select(Job.state, Job.count, Job.took.maximum, groupedBy: [Job.state])
  /// ```
  /// - Parameters:
  ///   - expression: The elements of each tuple: fields, or aggregates (`minimum`, `maximum`, `count`).
  ///   - condition: The condition that objects must satisfy; nil for all.
  ///   - groups: The fields whose values form a group. Aggregates without groups yield one tuple for everything.
  ///   - limit: The maximum number of tuples.
  ///   - offset: How many tuples to skip.
  ///   - ordering: The order of the tuples. By default that of the groups; tuples of single objects are ordered by their keys.
  /// - Returns: The tuples.
  /// - Throws: ``WorkspaceError``, or ``ChangeError`` in a transaction that has not declared the type.
  public func select<each Value: Sendable>(
    _ expression: repeat QueryExpression<T, each Value>, where condition: Condition<T>? = nil,
    groupedBy groups: [any StoredField<T>] = [], limit: Limit = .noLimit, offset: Int = 0,
    orderBy ordering: [Ordering<T>] = []
  ) throws -> [(repeat each Value)] {
    var text = QueryText("SELECT ")
    var hasAggregate = false
    var isFirst = true
    func add(_ node: QueryNode) {
      if !isFirst { text.sql += ", " }
      isFirst = false
      hasAggregate = hasAggregate || node.isAggregate
      text.add(node)
    }
    repeat add((each expression).node)
    text.sql += " FROM \(T.schema.table.name.quoted)"
    let query = Query(condition: condition, ordering: ordering, limit: limit, offset: offset)
    query.addCondition(to: &text)
    let names = groups.map { $0.column.name }
    if !groups.isEmpty { text.sql += " GROUP BY " + T.schema.core.statements.order(of: names) }
    query.addOrder(to: &text, last: groups.isEmpty ? (hasAggregate ? [] : T.schema.core.statements.key) : names)
    query.addLimit(to: &text)
    return try rows(text) { row in
      var column: Int32 = -1
      func next<Part: Sendable>(_ expression: QueryExpression<T, Part>) throws -> Part {
        column += 1
        let value = row.value(column)
        guard let part = expression.decode(value) else {
          throw UnreadableRow(table: T.schema.table.name, field: "column \(column + 1) of the selection", value: value)
        }
        return part
      }
      return (repeat try next(each expression))
    }
  }

  /// Returns the minimum of a field; nil if there are no objects.
  public func minimum<Value: OrderedValue>(
    _ expression: QueryExpression<T, Value>, where condition: Condition<T>? = nil
  ) throws -> Value? {
    try select(expression.minimum, where: condition).first ?? nil
  }

  /// Returns the maximum of a field; nil if there are no objects.
  public func maximum<Value: OrderedValue>(
    _ expression: QueryExpression<T, Value>, where condition: Condition<T>? = nil
  ) throws -> Value? {
    try select(expression.maximum, where: condition).first ?? nil
  }

  /// Returns the minimum of a field's values that are not missing; nil if there are none.
  public func minimum<Value: OrderedValue>(
    _ expression: QueryExpression<T, Value?>, where condition: Condition<T>? = nil
  ) throws -> Value? {
    try select(expression.minimum, where: condition).first ?? nil
  }

  /// Returns the maximum of a field's values that are not missing; nil if there are none.
  public func maximum<Value: OrderedValue>(
    _ expression: QueryExpression<T, Value?>, where condition: Condition<T>? = nil
  ) throws -> Value? {
    try select(expression.maximum, where: condition).first ?? nil
  }
}

extension QueryNode {
  var isAggregate: Bool {
    switch self {
    case .countAll: true
    case .function(let name, _): name == "min" || name == "max"
    default: false
    }
  }
}
