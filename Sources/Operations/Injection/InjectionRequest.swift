/// What a dependent needs from one dependency.
public struct InjectionRequest: Sendable, Hashable {
  /// Whether the dependent needs a result of the dependency to run. True by default.
  public var needsResult: Bool
  /// Whether the dependent handles failures: its closure receives the error. False by default.
  public var handlesFailure: Bool
  /// Whether the dependent has a default for a missing result, as in `results.x || 'none'`. False by default.
  public var hasDefault: Bool
  /// Whether the dependent decides whether to run, regardless of the dependency's outcome: its `when` mentions
  /// `always()`, `failure()`, `cancelled()` or `operations.x`. The other properties are then ignored. False by default.
  public var decidesItself: Bool

  /// Creates a request; by default it only needs a result.
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
