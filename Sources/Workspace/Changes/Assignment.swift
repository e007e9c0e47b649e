/// One assignment of an update by query: `Job.state.set(.failed)`, `Job.attempt.set(Job.attempt + 1)`.
public struct Assignment<Root>: Sendable {
  let column: String
  let node: QueryNode
}

extension Field {
  /// Assigns a value.
  public func set(_ value: Value) -> Assignment<Root> {
    do {
      return Assignment(column: column.name, node: .value(try encode(value)))
    } catch {
      return Assignment(column: column.name, node: .unsuitable(error.reason))
    }
  }

  /// Assigns what is computed from the object before the change.
  public func set(_ expression: QueryExpression<Root, Value>) -> Assignment<Root> {
    Assignment(column: column.name, node: expression.node)
  }
}
