import Values

/// Text that contains expressions: `release-${{ params.version }}`.
public struct Template: Sendable, Hashable {
  /// A segment of a template.
  public enum Segment: Sendable, Hashable {
    /// Literal text.
    case literal(String)
    /// An expression; `offset` is the number of Unicode scalars in the template's text before the expression's own text.
    case expression(Expression, offset: Int)

    fileprivate var isLiteral: Bool { if case .literal = self { true } else { false } }

    /// Whether it gives a default for a result that may be missing.
    fileprivate var hasDefault: Bool {
      if case .expression(let expression, _) = self { !expression.resultsWithDefault.isEmpty } else { false }
    }
  }

  /// The whole text that was parsed.
  public let text: String
  /// The segments, in order; empty for the empty text.
  public let segments: [Segment]

  /// Parses a template. A `${{` is closed by the first `}}` outside of the expression's strings.
  ///
  /// - Throws: `ExpressionError`, whose position refers to the template's text.
  public static func parse(_ text: String) throws(ExpressionError) -> Template {
    let (template, problems) = read(text)
    if let problem = problems.first { throw problem }
    return template
  }

  /// Parses as much of a template as possible and returns the problems of all its expressions; positions refer to the
  /// template's text.
  package static func read(_ text: String) -> (template: Template, problems: [ExpressionError]) {
    // Most strings in a pipeline contain no expression.
    guard text.utf8.contains(UInt8(ascii: "$")) else { return (Template(literal: text), []) }
    var problems: [ExpressionError] = []
    let scalars = Array(text.unicodeScalars)
    var segments: [Segment] = []
    var literalStart = 0
    var at = 0
    while at + 2 < scalars.count {
      guard scalars[at] == "$", scalars[at + 1] == "{", scalars[at + 2] == "{" else {
        at += 1
        continue
      }
      if at > literalStart { segments.append(.literal(String(scalars: scalars[literalStart..<at]))) }
      let opening = at
      at += 3
      let end = closing(in: scalars, from: at)
      if let end {
        segments.append(expression(in: scalars, at..<end, opening: opening, &problems))
      } else {
        problems.append(
          ExpressionError(
            .notClosed, "'${{' is not closed", position: opening + 1, length: 3,
            fix: "end the expression with '}}'"))
        segments.append(.expression(Expression(mistake: String(scalars: scalars[at...])), offset: at))
      }
      at = end.map { $0 + 2 } ?? scalars.count
      literalStart = at
    }
    if literalStart < scalars.count { segments.append(.literal(String(scalars: scalars[literalStart...]))) }
    return (Template(text: text, segments: segments), problems)
  }

  private init(text: String, segments: [Segment]) {
    self.text = text
    self.segments = segments
  }

  /// Creates a template without expressions, even if `literal` contains `${{`.
  public init(literal: String) {
    self.init(text: literal, segments: literal.isEmpty ? [] : [.literal(literal)])
  }

  /// Creates the template `${{ expression }}`.
  public init(expression: Expression) {
    self.init(text: "${{ \(expression.text) }}", segments: [.expression(expression, offset: 4)])
  }

  /// Returns the index of the `}}` that closes the expression beginning at `start`, or nil if there is none.
  private static func closing(in scalars: [Unicode.Scalar], from start: Int) -> Int? {
    var isInString = false
    var at = start
    while at < scalars.count {
      // A doubled quote leaves the string and enters it again.
      if scalars[at] == "'" { isInString.toggle() }
      if !isInString, scalars[at] == "}", at + 1 < scalars.count, scalars[at + 1] == "}" { return at }
      at += 1
    }
    return nil
  }

  private static func expression(
    in scalars: [Unicode.Scalar], _ range: Range<Int>, opening: Int, _ problems: inout [ExpressionError]
  ) -> Segment {
    var range = range
    while let first = scalars[range].first, ExpressionLexer.isSpace(first) { range.removeFirst() }
    while let last = scalars[range].last, ExpressionLexer.isSpace(last) { range.removeLast() }
    guard !range.isEmpty else {
      problems.append(
        ExpressionError(
          .syntax, "expected an expression between '${{' and '}}'", position: opening + 1, length: 3))
      return .expression(Expression(mistake: ""), offset: range.lowerBound)
    }
    let found = Expression.read(String(scalars: scalars[range]))
    for problem in found.problems { problems.append(problem.shifted(by: range.lowerBound)) }
    return .expression(found.expression, offset: range.lowerBound)
  }

  /// Returns the template's value: that of the expression if it consists of a single `${{ }}`, otherwise a string.
  ///
  /// In a string, values are formatted as in GitHub Actions, except that lists and objects are compact JSON and that
  /// whole numbers keep all their digits, because both are data here.
  /// - Throws: `ExpressionError`, whose position refers to the template's text.
  public func evaluate(in contexts: borrowing some ExpressionContexts) throws(ExpressionError) -> JSONValue {
    if segments.count == 1, case .literal(let text) = segments[0] { return .string(text) }
    if let known = contexts.evaluated(self) { return try known.get() }
    if segments.count == 1, case .expression(let expression, let offset) = segments[0] {
      return try value(of: expression, offset: offset, in: contexts)
    }
    var text = ""
    for segment in segments {
      switch segment {
      case .literal(let part): text += part
      case .expression(let expression, let offset):
        let value = try value(of: expression, offset: offset, in: contexts)
        switch value {
        case .int, .array, .object: text += value.text
        default: text += value.coercedString
        }
      }
      guard text.utf8.count <= ExpressionEvaluation.maximumText else {
        throw ExpressionError(.tooLarge, "the text becomes longer than 10 MiB", position: 1)
      }
    }
    return .string(text)
  }

  private func value(
    of expression: Expression, offset: Int, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> JSONValue {
    do throws(ExpressionError) {
      return try expression.evaluate(in: contexts)
    } catch {
      throw error.shifted(by: offset)
    }
  }

  /// Whether all its expressions were parsed without errors.
  package var isSound: Bool { expressions.allSatisfy { $0.expression.isSound } }

  /// Whether it contains no expression.
  public var isLiteral: Bool { segments.allSatisfy(\.isLiteral) }

  /// The expression if the template consists of a single `${{ }}`, otherwise nil.
  public var wholeExpression: Expression? {
    if segments.count == 1, case .expression(let expression, _) = segments[0] { expression } else { nil }
  }

  /// The expressions, each with the number of Unicode scalars in the template's text before it.
  package var expressions: [(expression: Expression, offset: Int)] {
    segments.compactMap { if case .expression(let expression, let offset) = $0 { (expression, offset) } else { nil } }
  }

  /// Every reference to a context, in the order of the text; positions refer to the template's text.
  public var references: [ExpressionReference] {
    expressions.flatMap { expression, offset in
      expression.references.map { reference in
        var reference = reference
        reference.position += offset
        return reference
      }
    }
  }

  /// The patterns of the calls of `hashFiles` in its expressions; see ``Expression/filePatterns``.
  package var filePatterns: [[String]] { expressions.flatMap(\.expression.filePatterns) }

  /// Whether any of its expressions calls a status function.
  public var usesStatusFunction: Bool { expressions.contains { $0.expression.usesStatusFunction } }

  /// The operations, in lowercase, whose result may be missing; see ``Expression/resultsWithDefault``. Excludes those
  /// that another expression of the template refers to without a default.
  public var resultsWithDefault: Set<String> {
    // Few templates have one.
    guard segments.contains(where: \.hasDefault) else { return [] }
    var withDefault: Set<String> = []
    var without: Set<String> = []
    for (expression, _) in expressions {
      withDefault.formUnion(expression.resultsWithDefault)
      for reference in expression.references where reference.context == "results" {
        guard let name = reference.path.first?.lowercased() else { continue }
        if !expression.resultsWithDefault.contains(name) { without.insert(name) }
      }
    }
    return withDefault.subtracting(without)
  }
}
