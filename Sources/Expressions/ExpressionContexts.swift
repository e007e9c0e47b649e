import Values

/// A source of the values that an expression refers to.
///
/// Members are requested one at a time, so that `results.fetch` never builds the results of ten thousand other operations. The names of the
/// built-in contexts (`params env secrets results errors operations artifacts run item previous`) arrive in lowercase, all others as
/// spelled in the expression; as in GitHub Actions, names that differ only in case are the same. `expressionMember(_:)` follows
/// this rule for values.
public protocol ExpressionContexts {
  /// Returns the value of `context.name`, or nil if the context has no such member (which an expression sees as null).
  func member(_ name: String, of context: String) throws(ExpressionError) -> JSONValue?
  /// Returns the whole context as an object, or nil if there is no context of that name.
  func whole(_ context: String) throws(ExpressionError) -> JSONValue?
  /// The values of `success()`, `failure()` and `cancelled()`.
  var status: ExpressionStatus { get }
  /// Returns the hash that `hashFiles(patterns)` yields; an empty string if no file matches.
  func hashFiles(_ patterns: [String]) throws(ExpressionError) -> String
  /// Returns the cached result of a template that has already been evaluated, or nil if it must be evaluated now. Default: nil.
  func evaluated(_ template: Template) -> Result<JSONValue, ExpressionError>?
}

extension ExpressionContexts {
  /// Returns nil.
  public func evaluated(_ template: Template) -> Result<JSONValue, ExpressionError>? { nil }
}

/// The values of an expression's status functions.
public struct ExpressionStatus: Sendable, Hashable {
  /// The value of `failure()`: whether a direct or transitive dependency failed (for a handler: whether the run failed).
  public var hasFailure: Bool
  /// The value of `cancelled()`: whether the run was cancelled.
  public var isCancelled: Bool
  /// Whether an earlier outcome prevents an operation without a `when` from running: a failure that is not allowed, or a skip.
  public var isHeldBack: Bool

  /// The value of `success()`, the condition of operations without a `when`.
  public var isSuccess: Bool { !isCancelled && !isHeldBack }

  /// Creates a status; without arguments, that of a success. A failure holds operations back unless `isHeldBack` is given.
  public init(hasFailure: Bool = false, isCancelled: Bool = false, isHeldBack: Bool? = nil) {
    self.hasFailure = hasFailure
    self.isCancelled = isCancelled
    self.isHeldBack = isHeldBack ?? hasFailure
  }
}
