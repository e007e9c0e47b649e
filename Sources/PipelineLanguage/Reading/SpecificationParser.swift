import Expressions
import Values

/// Parses a condition: `!`, `&&`, `||` and parentheses over the names of specifications and built-ins.
///
/// A syntax error ends parsing; all other errors are collected, so that one pass finds all of them.
struct SpecificationParser {
  /// The maximum length in Unicode scalars.
  static let maximumLength = 21_000
  /// The maximum nesting depth of `!` and parentheses.
  static let maximumDepth = 50

  private var lexer: SpecificationLexer
  private var token: SpecificationLexer.Token
  private var depth = 0
  private var parsed: ParsedFormula
  private let use: SpecificationUse
  private let specifications: [String: Int]

  /// Parses `text`, which may name `specifications`.
  static func parse(
    _ text: String, for use: SpecificationUse, specifications: [String: Int]
  ) throws(ExpressionError) -> ParsedFormula {
    guard text.utf8.count <= maximumLength || text.unicodeScalars.count <= maximumLength else {
      throw ExpressionError(
        .specificationTooLong, "the condition is longer than \(maximumLength) characters",
        position: maximumLength + 1)
    }
    var parser = SpecificationParser(text, use, specifications)
    return try parser.whole()
  }

  private init(_ text: String, _ use: SpecificationUse, _ specifications: [String: Int]) {
    lexer = SpecificationLexer(text)
    token = lexer.next()
    var end = lexer.text.count
    while end > token.start, ExpressionLexer.isSpace(lexer.text[end - 1]) { end -= 1 }
    let written = lexer.spelling(token.start..<end)
    parsed = ParsedFormula(formula: SpecificationFormula(text: written, root: .never))
    self.use = use
    self.specifications = specifications
  }

  private mutating func whole() throws(ExpressionError) -> ParsedFormula {
    if token.kind == .end {
      throw ExpressionError(.specificationSyntax, "expected a specification", position: 1)
    }
    parsed.formula.root = try disjunction()
    guard token.kind == .end else {
      throw unexpected(token.kind == .close ? "which closes nothing" : "expected '&&', '||' or the end")
    }
    return parsed
  }

  private mutating func advance() { token = lexer.next() }

  private mutating func disjunction() throws(ExpressionError) -> SpecificationFormula.Node {
    var operands = [try conjunction()]
    while token.kind == .or {
      advance()
      operands.append(try conjunction())
    }
    return operands.count == 1 ? operands[0] : .or(operands)
  }

  private mutating func conjunction() throws(ExpressionError) -> SpecificationFormula.Node {
    var operands = [try operand()]
    while token.kind == .and {
      advance()
      operands.append(try operand())
    }
    return operands.count == 1 ? operands[0] : .and(operands)
  }

  private mutating func operand() throws(ExpressionError) -> SpecificationFormula.Node {
    switch token.kind {
    case .not:
      try descend()
      advance()
      let operand = try operand()
      depth -= 1
      return .not(operand)
    case .open:
      try descend()
      advance()
      let inner = try disjunction()
      guard token.kind == .close else { throw unexpected("expected ')'") }
      advance()
      depth -= 1
      return inner
    case .name(let name): return try named(name)
    default: throw unexpected("expected a specification")
    }
  }

  private mutating func descend() throws(ExpressionError) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw ExpressionError(
        .specificationTooDeep, "the condition is nested more than \(Self.maximumDepth) levels deep",
        position: token.start + 1)
    }
  }

  // MARK: - Names

  private mutating func named(_ name: String) throws(ExpressionError) -> SpecificationFormula.Node {
    let place = ParsedFormula.Place(position: token.start + 1, length: token.end - token.start)
    let start = token
    var argument: SpecificationLexer.Argument?
    if let open = lexer.opensArgument() {
      // The argument of an unknown name is read as well, so that the name is reported.
      do {
        argument = try lexer.argument()
      } catch {
        throw Self.syntaxError(error, inArgumentOf: name, from: open.start)
      }
    }
    advance()
    if let word = SpecificationWord(rawValue: name) { return builtIn(word, argument, at: place) }
    if let position = specifications[name] {
      parsed.names.append((position, place))
      if argument != nil {
        problem(.wrongArgument, "'\(name)' is a specification of the pipeline, which takes no argument", at: place)
      }
      return .named(position)
    }
    if name == "not", argument != nil || Self.isOperand(token.kind) {
      throw ExpressionError(
        .specificationSyntax, "unexpected 'not', expected a specification", position: start.start + 1,
        length: place.length, fix: "'not' is written '!'")
    }
    unknown(name, at: place)
    return .never
  }

  private static func syntaxError(
    _ fault: SpecificationLexer.ArgumentFault, inArgumentOf name: String, from open: Int
  ) -> ExpressionError {
    switch fault {
    case .parenthesis:
      ExpressionError(
        .specificationSyntax, "the argument of '\(clipped(name))' is not closed", position: open + 1,
        fix: "add ')'")
    case .quote(let quote):
      ExpressionError(
        .specificationSyntax, "the quotes around the argument of '\(clipped(name))' are not closed",
        position: open + 1, fix: "add \(quote) before the ')'")
    case .behindQuote(let quote, let place):
      ExpressionError(
        .specificationSyntax, "the argument of '\(clipped(name))' continues after its closing quote",
        position: place + 1, fix: "a \(quote) inside is written twice: \(quote)\(quote)")
    }
  }

  private static func isOperand(_ kind: SpecificationLexer.Token.Kind) -> Bool {
    switch kind {
    case .name, .open, .not: true
    default: false
    }
  }

  private mutating func unknown(_ name: String, at place: ParsedFormula.Place) {
    if SpecificationWord.earlyOnly.contains(name) {
      guard use == .early else {
        return problem(.misplacedSpecification, "'\(name)' can be used only under 'early' of a retry", at: place)
      }
      return problem(
        .misplacedSpecification, "'\(name)' cannot be combined: it is an event, not a specification", at: place,
        fix: "make it a separate entry in the list of 'early'")
    }
    if let context = name.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init),
      context != name, ContextName.all.contains(context)
    {
      return problem(
        .unknownSpecification, "'\(Self.clipped(name))' is a value, not a specification", at: place,
        fix: "conditions on values belong under 'when'")
    }
    if name.utf8.contains(UInt8(ascii: ".")) {
      return problem(
        .unknownSpecification,
        "'\(Self.clipped(name))' is not a specification of this pipeline: a plugin's specification needs a name here",
        at: place,
        fix: PluginUse.isOfferID(name) ? "add it: 'specifications: {a-name: {uses: \(name)}}', and use the name" : nil)
    }
    let near = NearestName.suggestion(
      for: name,
      among: specifications.keys.sorted() + SpecificationWord.allCases.map(\.rawValue)
        + (use == .early ? SpecificationWord.earlyOnly : []))
    let fix: String? =
      switch name {
      case "true": "write 'always'"
      case "false": "write 'never'"
      default:
        near.map { "did you mean '\(SpecificationWord(rawValue: $0)?.usage ?? $0)'?" }
          ?? (use == .wait ? "write a duration like '30s'" : nil)
      }
    problem(.unknownSpecification, "there is no specification '\(Self.clipped(name))'", at: place, fix: fix)
  }

  private mutating func builtIn(
    _ word: SpecificationWord, _ argument: SpecificationLexer.Argument?, at place: ParsedFormula.Place
  ) -> SpecificationFormula.Node {
    if argument != nil, !word.takesArgument {
      problem(.wrongArgument, "'\(word.rawValue)' takes no argument", at: place)
      return .never
    }
    switch word {
    case .always: return .always
    case .never: return .never
    case .connected: return .connected
    case .foreground:
      parsed.terminals.append(place)
      return .foreground
    case .olderThan, .fileExists, .changed, .succeeded: break
    }
    guard let argument, !argument.text.isEmpty else {
      problem(.wrongArgument, "'\(word.rawValue)' needs an argument", at: place, fix: "write it like \(word.usage)")
      return .never
    }
    if word == .olderThan { parsed.ages.append(place) }
    let place = ParsedFormula.Place(position: argument.start + 1, length: argument.end - argument.start)
    switch word {
    case .olderThan: return .olderThan(duration(argument.text, at: place))
    case .succeeded:
      let name = pipeline(argument.text, at: place)
      parsed.pipelines.append((name, place))
      return .succeeded(pipeline: name)
    case .fileExists: return .fileExists(path(argument, at: place))
    case .changed: return .changed(path(argument, at: place))
    // These take no argument and were returned above.
    case .always, .never, .connected, .foreground: return .never
    }
  }

  // MARK: - Arguments

  private mutating func duration(_ text: String, at place: ParsedFormula.Place) -> Duration {
    guard let duration = DurationNotation.parse(text) else {
      let found = DurationProblem(text, "'older-than'", shown: Self.clipped(text))
      problem(found.code, found.message, at: place, fix: found.fix)
      return .zero
    }
    if duration == .zero { problem(.outOfRange, "'older-than' must be greater than zero", at: place) }
    return duration
  }

  private mutating func pipeline(_ text: String, at place: ParsedFormula.Place) -> String {
    if !DocumentReader.NameRule.pipeline.allows(text) {
      problem(
        .invalidName,
        "'\(Self.clipped(text))' cannot be a pipeline's name: it may contain \(DocumentReader.NameRule.pipeline.text)",
        at: place)
    }
    return text
  }

  private mutating func path(_ argument: SpecificationLexer.Argument, at place: ParsedFormula.Place) -> Template {
    if argument.text.utf8.contains(0) { problem(.wrongForm, "a path cannot contain a NUL character", at: place) }
    let (template, problems) = Template.read(argument.text)
    parsed.problems += problems.map { $0.shifted(by: argument.start + argument.dropped) }
    if !template.isLiteral { parsed.templates.append((template, argument.start + argument.dropped)) }
    return template
  }

  // MARK: - Errors

  private mutating func problem(
    _ code: DiagnosticCode, _ message: String, at place: ParsedFormula.Place, fix: String? = nil
  ) {
    parsed.problems.append(
      ExpressionError(code, message, position: place.position, length: place.length, fix: fix))
  }

  private func unexpected(_ expectation: String) -> ExpressionError {
    guard token.kind != .end else {
      return ExpressionError(
        .specificationSyntax, "unexpected end of the condition, \(expectation)", position: lexer.text.count + 1)
    }
    let spelling = lexer.spelling(token.start..<token.end)
    var fix: String?
    switch token.kind {
    case .wrong(let known): fix = known
    case .name("and"): fix = "'and' is written '&&'"
    case .name("or"): fix = "'or' is written '||'"
    default: break
    }
    return ExpressionError(
      .specificationSyntax, "unexpected '\(Self.clipped(spelling))', \(expectation)",
      position: token.start + 1, length: max(1, token.end - token.start), fix: fix)
  }

  /// Shortens a spelling for a message.
  private static func clipped(_ text: String) -> String {
    text.unicodeScalars.count > 40 ? String(text.prefix(40)) + "…" : text
  }
}
