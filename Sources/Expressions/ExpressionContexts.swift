import Values

/// Where an expression finds the values it names.
///
/// Members are asked for one at a time, so that `results.fetch` never builds the results of ten thousand other operations. The names
/// of the built-in contexts (`params env secrets results errors operations run item`) arrive in lower case, all others as the
/// expression spells them; as in GitHub Actions, names that differ in letter case alone are the same.
/// ``JSONValue/expressionMember(_:)`` answers in this way for values.
public protocol ExpressionContexts {
  /// The value of `context.name`, or nil where the context has no such member (which an expression sees as null).
  func member(_ name: String, of context: String) throws(ExpressionError) -> JSONValue?
  /// The whole context as an object, or nil where there is no context of that name.
  func whole(_ context: String) throws(ExpressionError) -> JSONValue?
  /// What `success()`, `failure()`, `cancelled()` answer.
  var status: ExpressionStatus { get }
  /// The hash that `hashFiles(patterns)` yields; an empty string when no file matches.
  func hashFiles(_ patterns: [String]) throws(ExpressionError) -> String
  /// The value that these contexts keep of a template they have evaluated; nil if the template must be evaluated now. Default: nil.
  func evaluated(_ template: Template) -> Result<JSONValue, ExpressionError>?
}

extension ExpressionContexts {
  /// Nothing.
  public func evaluated(_ template: Template) -> Result<JSONValue, ExpressionError>? { nil }
}

/// What the status functions of an expression answer.
public struct ExpressionStatus: Sendable, Hashable {
  /// `failure()`: a dependency failed, near or far (for a handler: the run did).
  public var hasFailure: Bool
  /// `cancelled()`: the run was cancelled.
  public var isCancelled: Bool
  /// Whether what came before keeps an operation that has no `when` from running: a failure that is not allowed, or a skip.
  public var isHeldBack: Bool

  /// `success()`: what an operation that has no `when` runs by.
  public var isSuccess: Bool { !isCancelled && !isHeldBack }

  /// A status; without arguments that of a success. A failure holds back unless `isHeldBack` says otherwise.
  public init(hasFailure: Bool = false, isCancelled: Bool = false, isHeldBack: Bool? = nil) {
    self.hasFailure = hasFailure
    self.isCancelled = isCancelled
    self.isHeldBack = isHeldBack ?? hasFailure
  }
}
