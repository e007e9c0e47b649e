/// Carries what a child task ends with to its parent, also where that is not `Sendable`.
final class ChildTaskSlot<Value>: @unchecked Sendable {
  // @unchecked: one child writes it, once, and the parent reads it only after that child has ended.

  /// What the child ended with; nil before that, or where it never began.
  var result: Result<Value, any Error>?
}
