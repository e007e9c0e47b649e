import Values

/// A parsed expression, such as `results.count > 3 && params.notify`.
///
/// Grammar and semantics are those of GitHub Actions' expressions, plus arithmetic, lists, and the functions `length`, `keys`, `first`,
/// `last`, `formatDate` and `addDuration`. Numbers are compared as doubles; a value that is only passed on stays unchanged. Lists and
/// objects are equal only to themselves: both sides of `==` must refer to the same place of a context.
public struct Expression: Sendable, Hashable {
  /// Storage shared by all copies of an expression, so that copying costs one reference.
  package final class Storage: Sendable {
    package let program: ExpressionProgram
    let resultsWithDefault: Set<String>
    let functionNames: Set<String>
    let asksForStatus: Bool
    let looksAtOutcomes: Bool
    let isSound: Bool

    package init(_ program: ExpressionProgram) {
      self.program = program
      isSound = program.isSound
      resultsWithDefault = program.resultsWithDefault()
      functionNames = program.nodes.reduce(into: []) { names, node in
        if node.kind == .call { names.insert(node.function.name) }
      }
      let status = program.nodes.filter { $0.kind == .call && $0.function.isStatus }
      // `success()`, or a conjunction with it, can only be true where the operation would run anyway; `!success()` would otherwise never be evaluated.
      asksForStatus = status.contains { $0.function != .success } || !status.isEmpty && !program.requiresSuccess
      looksAtOutcomes = asksForStatus || program.references.contains { $0.context == "operations" }
    }
  }

  /// The text that was parsed.
  public let text: String
  package let storage: Storage

  package init(text: String, storage: Storage) {
    self.text = text
    self.storage = storage
  }

  /// Parses an expression.
  ///
  /// - Throws: `ExpressionError` with the position of the problem. Unknown contexts are not errors here; see ``ExpressionChecker``.
  public static func parse(_ text: String) throws(ExpressionError) -> Expression {
    let (expression, problems) = read(text)
    if let problem = problems.first { throw problem }
    return expression
  }

  /// Parses as much of an expression as possible and returns every problem that prevents it from being evaluated. An
  /// expression that is not sound can still be checked for other mistakes.
  package static func read(_ text: String) -> (expression: Expression, problems: [ExpressionError]) {
    let (program, problems) = ExpressionParser.read(text)
    return (Expression(text: text, storage: Storage(program)), problems)
  }

  /// Whether the expression was parsed without errors; otherwise it has neither a type nor a value.
  package var isSound: Bool { storage.isSound }

  /// Returns the expression's value in `contexts`.
  ///
  /// - Throws: Any error that `contexts` throws, or an error of the expression itself, such as text that `fromJSON` cannot parse.
  public func evaluate(in contexts: borrowing some ExpressionContexts) throws(ExpressionError) -> JSONValue {
    var evaluation = ExpressionEvaluation(storage)
    return try evaluation.value(of: storage.program.root, in: contexts)
  }

  /// Returns whether the expression's value is true: every value is except `false`, `0`, `-0`, `NaN`, `''` and null.
  ///
  /// - Throws: The errors of ``evaluate(in:)``.
  public func isTruthy(in contexts: borrowing some ExpressionContexts) throws(ExpressionError) -> Bool {
    try evaluate(in: contexts).isTruthy
  }

  /// The patterns of each call of `hashFiles` whose patterns are known without evaluating anything.
  package var filePatterns: [[String]] {
    storage.functionNames.contains(ExpressionFunction.hashFiles.name) ? storage.program.filePatterns : []
  }

  /// Every reference to a context, in the order of the text.
  public var references: [ExpressionReference] { storage.program.references }

  /// Whether the expression calls `success()`, `failure()`, `always()` or `cancelled()` anywhere.
  public var usesStatusFunction: Bool { storage.program.usesStatusFunction }

  /// Whether it calls `always()`, `failure()` or `cancelled()`, or calls `success()` but can be true without it. A
  /// `when` that does is evaluated even in a cancelled run.
  public var asksForStatus: Bool { storage.asksForStatus }

  /// Whether it calls a status function as in ``asksForStatus``, or refers to `operations.x`. A `when` that does is
  /// evaluated regardless of the outcome of the operations before it, direct or transitive.
  public var looksAtOutcomes: Bool { storage.looksAtOutcomes }

  /// The declared names of the functions that the expression calls.
  public var functionNames: Set<String> { storage.functionNames }

  /// Whether the expression is a single reference with its path, so that its value is the referenced value itself.
  package var isWholeReference: Bool {
    switch storage.program.nodes[Int(storage.program.root)].kind {
    case .context, .member, .property: true
    default: false
    }
  }

  /// The operations, in lowercase, whose result may be missing: every `results.x` in the expression is on the left of a
  /// `||`, as in `results.x || 0` or `results.x.count || 0`.
  ///
  /// A default does not reach into a comparison or a function call; it must be given inside.
  public var resultsWithDefault: Set<String> { storage.resultsWithDefault }

  /// Returns whether two expressions have the same text.
  public static func == (left: Expression, right: Expression) -> Bool { left.text == right.text }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Expression {
  /// Creates a placeholder for text that could not be parsed as an expression.
  init(mistake text: String) { self.init(text: text, storage: Storage(.mistake)) }
}
