/// What a dependent wants of one dependency.
public struct InjectionRequest: Sendable, Hashable {
  /// Whether the dependent cannot run without a result of the dependency. True by default.
  public var needsResult: Bool
  /// Whether the dependent asks for failures: its `when` calls `failure()` or `always()`, or its closure takes the
  /// error. False by default.
  public var handlesFailure: Bool
  /// Whether the dependent says what to take instead of a result, as in `results.x || 'none'`. False by default.
  public var hasDefault: Bool

  /// A wish; by default for a result and nothing else.
  @inlinable
  public init(needsResult: Bool = true, handlesFailure: Bool = false, hasDefault: Bool = false) {
    self.needsResult = needsResult
    self.handlesFailure = handlesFailure
    self.hasDefault = hasDefault
  }
}
