/// Carries the result of a child task to its parent, even if it is not `Sendable`.
package final class ChildTaskSlot<Value>: @unchecked Sendable {
  // @unchecked: one child writes it once, and the parent reads it only after that child has ended.

  /// The child's result; nil until it ends, or if it never started.
  package var result: Result<Value, any Error>?

  package init() {}

  /// Returns the child's value, so that the caller's frame needs no space for a result.
  ///
  /// - Throws: The child's error; `CancellationError` if it never started.
  @inline(never)
  package func get() throws -> Value {
    guard let result else { throw CancellationError() }
    return try result.get()
  }
}
