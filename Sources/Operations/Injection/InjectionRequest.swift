/// What a dependent wants of one dependency.
public struct InjectionRequest: Sendable, Hashable {
  /// Whether the dependent cannot run without a result of the dependency. True by default.
  public var needsResult: Bool
  /// Whether the dependent takes failures: its closure is handed the error. False by default.
  public var handlesFailure: Bool
  /// Whether the dependent says what to take instead of a result, as in `results.x || 'none'`. False by default.
  public var hasDefault: Bool
  /// Whether the dependent decides for itself, whatever became of the dependency: its `when` mentions `always()`,
  /// `failure()`, `cancelled()` or `operations.x`. Nothing else counts then. False by default.
  public var decidesItself: Bool

  /// A wish; by default for a result and nothing else.
  @inlinable
  public init(
    needsResult: Bool = true, handlesFailure: Bool = false, hasDefault: Bool = false, decidesItself: Bool = false
  ) {
    self.needsResult = needsResult
    self.handlesFailure = handlesFailure
    self.hasDefault = hasDefault
    self.decidesItself = decidesItself
  }
}
