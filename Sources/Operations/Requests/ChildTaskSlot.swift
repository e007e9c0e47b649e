/// Carries what a child task ends with to its parent, also where that is not `Sendable`.
package final class ChildTaskSlot<Value>: @unchecked Sendable {
  // @unchecked: one child writes it, once, and the parent reads it only after that child has ended.

  /// What the child ended with; nil before that, or where it never began.
  package var result: Result<Value, any Error>?

  package init() {}

  /// What the child ended with, for frames that shall have no room for a value.
  ///
  /// - Throws: What the child failed with; `CancellationError` where it never began.
  @inline(never)
  package func get() throws -> Value {
    guard let result else { throw CancellationError() }
    return try result.get()
  }
}
