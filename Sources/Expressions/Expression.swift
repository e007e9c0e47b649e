import Values

/// An expression that has been read: `results.count > 3 && params.notify`.
///
/// Grammar and semantics are those of GitHub Actions' expressions, with the functions `length`, `keys`, `first` and `last` besides.
/// All numbers are computed with as doubles, but a value that is only handed on stays as it is. Lists and objects are equal to
/// nothing but themselves: both sides of `==` must name the same place of a context.
public struct Expression: Sendable, Hashable {
  /// Shared by all copies of an expression, so that copying costs one reference.
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
      // `success()`, or a conjunction with it, can only be true where the operation would run anyway; `!success()` would never be.
      asksForStatus = status.contains { $0.function != .success } || !status.isEmpty && !program.requiresSuccess
      looksAtOutcomes = asksForStatus || program.references.contains { $0.context == "operations" }
    }
  }

  /// The text it was read from.
  public let text: String
  package let storage: Storage

  package init(text: String, storage: Storage) {
    self.text = text
    self.storage = storage
  }

  /// Reads an expression.
  ///
  /// - Throws: `ExpressionError` with the place of what is wrong. Unknown contexts are no errors here; see ``ExpressionChecker``.
  public static func parse(_ text: String) throws(ExpressionError) -> Expression {
    let (expression, problems) = read(text)
    if let problem = problems.first { throw problem }
    return expression
  }

  /// Reads an expression as far as that is possible, with everything that keeps it from being evaluated. What else can be
  /// known of one that is not sound can be checked like that of any other.
  package static func read(_ text: String) -> (expression: Expression, problems: [ExpressionError]) {
    let (program, problems) = ExpressionParser.read(text)
    return (Expression(text: text, storage: Storage(program)), problems)
  }

  /// Whether it could be read without a mistake; one that could not has no type and no value.
  package var isSound: Bool { storage.isSound }

  /// The expression's value in `contexts`.
  ///
  /// - Throws: What `contexts` throws, or an error of the expression's own, such as a text that `fromJSON` cannot read.
  public func evaluate(in contexts: borrowing some ExpressionContexts) throws(ExpressionError) -> JSONValue {
    var evaluation = ExpressionEvaluation(storage)
    return try evaluation.value(of: storage.program.root, in: contexts)
  }

  /// Whether the expression's value counts as true: everything does but `false`, `0`, `-0`, `NaN`, `''` and null.
  ///
  /// - Throws: As ``evaluate(in:)``.
  public func isTruthy(in contexts: borrowing some ExpressionContexts) throws(ExpressionError) -> Bool {
    try evaluate(in: contexts).isTruthy
  }

  /// The patterns of each call of `hashFiles` whose files can be named without evaluating anything.
  package var filePatterns: [[String]] {
    storage.functionNames.contains(ExpressionFunction.hashFiles.name) ? storage.program.filePatterns : []
  }

  /// Every place that names a context, in the order of the text.
  public var references: [ExpressionReference] { storage.program.references }

  /// Whether `success()`, `failure()`, `always()` or `cancelled()` is called anywhere in it.
  public var usesStatusFunction: Bool { storage.program.usesStatusFunction }

  /// Whether it calls `always()`, `failure()` or `cancelled()`, or calls `success()` and can be true without it: a `when` that does is asked in a
  /// cancelled run, too.
  public var asksForStatus: Bool { storage.asksForStatus }

  /// Whether it calls a status function as in ``asksForStatus``, or names `operations.x`: a `when` that does is asked whatever became of the
  /// operations before it, near or far.
  public var looksAtOutcomes: Bool { storage.looksAtOutcomes }

  /// The names of the functions that the expression calls, as they are declared.
  public var functionNames: Set<String> { storage.functionNames }

  /// Whether the expression is nothing but one name with its path, so that its value is what stands there.
  package var isWholeReference: Bool {
    switch storage.program.nodes[Int(storage.program.root)].kind {
    case .context, .member, .property: true
    default: false
    }
  }

  /// The operations, in lower case, whose result may be missing: every `results.x` in the expression stands on the left of a `||`, as in
  /// `results.x || 0` or `results.x.count || 0`.
  ///
  /// Inside a comparison or a function call there is no default, unless it is given there.
  public var resultsWithDefault: Set<String> { storage.resultsWithDefault }

  /// Expressions of the same text are equal.
  public static func == (left: Expression, right: Expression) -> Bool { left.text == right.text }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Expression {
  /// What stands for a text in which no expression could be found.
  init(mistake text: String) { self.init(text: text, storage: Storage(.mistake)) }
}
