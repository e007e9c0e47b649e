/// An assignment in an update by query: `Job.state.set(.failed)`.
public struct Assignment<Root>: Sendable {
  let column: String
  let node: QueryNode
}

extension Field {
  /// Returns an assignment of a value.
  public func set(_ value: Value) -> Assignment<Root> {
    do {
      return Assignment(column: column.name, node: .value(try encode(value)))
    } catch {
      return Assignment(column: column.name, node: .unsuitable(error.reason))
    }
  }
}
