/// What the retry modifiers around one operation know about each other, in a single entry of the context so that the
/// common case needs only one read.
@usableFromInline
struct RetryScope: Sendable {
  /// The number of retry modifiers that were set up and have not run yet. The innermost is the one that finds 1; one
  /// that finds 0 was never set up.
  @usableFromInline var pending: Int
  /// The maximum number of retries, as set by the innermost modifier.
  @usableFromInline var maxRetries: Int
  /// The index of the retry that the running attempt is, from 0; nil in the first attempt.
  @usableFromInline var index: Int?
  /// Whether `maxRetries` was set explicitly and therefore takes precedence over a client's default.
  @usableFromInline var isChosen = false

  @inlinable
  init(pending: Int = 0, maxRetries: Int = 0, index: Int? = nil) {
    self.pending = pending
    self.maxRetries = maxRetries
    self.index = index
  }

  /// Returns the maximum number of retries of the modifier that acts: the one from its setup or, if it was never set up, its policy's.
  @usableFromInline
  func limit(of policy: RetryPolicy) -> Int {
    max(pending > 0 ? maxRetries : policy.limit, 0)
  }
}

extension OperationContext {
  @usableFromInline
  enum RetryScopeKey: Key {
    @usableFromInline static var defaultValue: RetryScope { RetryScope() }
  }

  @inlinable
  var retryScope: RetryScope {
    get { self[RetryScopeKey.self] }
    set { self[RetryScopeKey.self] = newValue }
  }

  /// The index of the retry that the running attempt is: nil in the first attempt, then 0, 1, 2, …
  @inlinable
  public var operationRetryIndex: Int? { retryScope.index }

  /// The maximum number of retries of the operation. Set by `.retry` during setup; a later change applies from the next
  /// run on. 0 without a retry. In the default context of a client, it replaces the client's own default.
  @inlinable
  public var operationMaxRetries: Int {
    get { retryScope.maxRetries }
    set {
      var scope = retryScope
      scope.maxRetries = newValue
      scope.isChosen = true
      retryScope = scope
    }
  }

  /// Whether a failure of the running attempt is final with respect to the number of retries.
  @inlinable
  public var isLastRetryAttempt: Bool {
    let scope = retryScope
    return (scope.index ?? -1) + 1 >= scope.maxRetries
  }

  /// Returns the context for another operation that runs within this one, without the entries of this one's retry.
  package func forNestedOperation() -> OperationContext {
    var context = self
    context.removeValue(for: RetryScopeKey.self)
    context.removeValue(for: RetryStateKey.self)
    context.removeValue(for: RetryObserverKey.self)
    return context
  }
}
