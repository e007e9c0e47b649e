/// What the retry modifiers around one operation know of each other, in one entry of the context so that the common
/// case reads only once.
@usableFromInline
struct RetryScope: Sendable {
  /// How many retry modifiers were set up and have not run yet. The innermost is the one that finds 1; one that finds 0
  /// was never set up.
  @usableFromInline var pending: Int
  /// The most retries, as set by the innermost of them.
  @usableFromInline var maxRetries: Int
  /// Which retry the running attempt is, from 0; nil in the first attempt.
  @usableFromInline var index: Int?
  /// Whether somebody set `maxRetries` by hand, which then counts more than a client's default.
  @usableFromInline var isChosen = false

  @inlinable
  init(pending: Int = 0, maxRetries: Int = 0, index: Int? = nil) {
    self.pending = pending
    self.maxRetries = maxRetries
    self.index = index
  }

  /// The most retries of the modifier that acts: as it was set up, or, where it never was, as its policy says.
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

  /// Which retry the running attempt is: nil in the first attempt, then 0, 1, 2, …
  @inlinable
  public var operationRetryIndex: Int? { retryScope.index }

  /// The most retries of the operation. Written by `.retry` when it is set up; a change afterwards counts from the next
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

  /// Whether a failure of the running attempt is final, as far as the number of retries goes.
  @inlinable
  public var isLastRetryAttempt: Bool {
    let scope = retryScope
    return (scope.index ?? -1) + 1 >= scope.maxRetries
  }

  /// The context for another operation that runs within this one: without what belongs to this one's retry.
  package func forNestedOperation() -> OperationContext {
    var context = self
    context.removeValue(for: RetryScopeKey.self)
    context.removeValue(for: RetryStateKey.self)
    context.removeValue(for: RetryObserverKey.self)
    return context
  }
}
