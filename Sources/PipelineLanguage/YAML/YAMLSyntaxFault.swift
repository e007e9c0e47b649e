/// Explains what libyaml could not parse, and where the cause probably is.
///
/// libyaml reports where it gave up. For common mistakes (a tab, a missing space, an unclosed quote), the cause is often elsewhere, and can be
/// found in the text around the two places that libyaml reports.
struct YAMLSyntaxFault {
  private let failure: YAMLEventParser.Failure
  private let places: YAMLPlaces
  private let lastQuoted: SourceRange?
  private let problem: SourceMark
  private let context: SourceMark

  /// Creates the fault for `failure`; `lastQuoted` is the range of the last quoted scalar before it.
  init(_ failure: YAMLEventParser.Failure, places: YAMLPlaces, lastQuoted: SourceRange?) {
    self.failure = failure
    self.places = places
    self.lastQuoted = lastQuoted
    var line = 0
    problem = places.source.mark(atScalar: failure.problemScalar, near: &line)
    context = places.source.mark(atScalar: failure.contextScalar, near: &line)
  }

  /// The failure as a `yaml-syntax` error, or as `multiple-documents` if that is its cause.
  var diagnostic: Diagnostic {
    if failure.problem == "did not find expected <document start>", let line = places.source.lineAbove(problem.line),
      places.source.line(line).hasPrefix("...")
    {
      return Self.secondDocument(at: one(problem), in: places.source)
    }
    let finding = tabInIndentation ?? invisibleLineBreak ?? tokenFinding ?? blockFinding ?? flowFinding ?? other
    return Diagnostic(
      code: .yamlSyntax, finding.message, file: places.source.path, range: finding.range, fix: finding.fix
    )
  }

  /// Returns the error for a second document that starts at `range`.
  static func secondDocument(at range: SourceRange, in source: SourceText) -> Diagnostic {
    Diagnostic(
      code: .multipleDocuments, "a second document begins here, and a pipeline file has one", file: source.path,
      range: range, fix: "put each pipeline into a separate file"
    )
  }

  private struct Finding {
    let message: String
    let range: SourceRange
    var fix: String?
  }

  // MARK: - Kinds of errors

  private var tabInIndentation: Finding? {
    let line = places.source.line(problem.line).unicodeScalars
    guard let tab = line.prefix(while: { $0 == " " || $0 == "\t" }).firstIndex(of: "\t") else { return nil }
    let column = line.distance(from: line.startIndex, to: tab) + 1
    guard column <= problem.column else { return nil }
    return Finding(
      message: "a tab is used for indentation, which YAML does not allow",
      range: one(SourceMark(line: problem.line, column: column)), fix: "indent with spaces"
    )
  }

  /// libyaml, which implements YAML 1.1, ends lines at characters that most editors do not show.
  private var invisibleLineBreak: Finding? {
    let place = failure.problem == "could not find expected ':'" ? context : problem
    let line = places.source.line(place.line).unicodeScalars.prefix(place.column)
    guard let index = line.firstIndex(where: { "\u{85}\u{2028}\u{2029}".unicodeScalars.contains($0) }) else {
      return nil
    }
    let digits = String(line[index].value, radix: 16, uppercase: true)
    let name = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let column = line.distance(from: line.startIndex, to: index) + 1
    return Finding(
      message: "the invisible character U+\(name) breaks this line",
      range: one(SourceMark(line: place.line, column: column)),
      fix: "remove it, or write it as \\u\(name) in double quotes"
    )
  }

  /// Errors within a token.
  private var tokenFinding: Finding? {
    let character = places.source.scalar(at: problem).map { String($0) } ?? ""
    switch (failure.problem, failure.context) {
    case ("found character that cannot start any token", _):
      return Finding(
        message: "a value cannot begin with '\(character)'", range: one(problem), fix: "put the value in quotes"
      )
    case ("found unexpected end of stream", "while scanning a quoted scalar"),
      ("found unexpected document indicator", "while scanning a quoted scalar"):
      if let bracketInText { return bracketInText }
      return Finding(
        message: "the quote that opens here is never closed", range: one(context),
        fix: places.source.scalar(at: context).map { "close it with \($0)" }
      )
    case ("found unknown escape character", _):
      let escape =
        places.source.scalar(at: SourceMark(line: problem.line, column: problem.column + 1)).map { String($0) } ?? ""
      return Finding(
        message: "'\\\(escape)' is not an escape sequence in double quotes", range: stretch(problem, 2),
        fix: "write '\\\\\(escape)', or use single quotes"
      )
    case ("did not find expected hexdecimal number", _), ("found invalid Unicode character escape code", _):
      return Finding(
        message: "the escape in this double-quoted text is not the number of a character", range: one(problem),
        fix: "write \\x with 2, \\u with 4 or \\U with 8 hexadecimal digits"
      )
    case (_, "while scanning an alias"):
      return Finding(
        message: "'*' begins an alias, which needs a name of letters, digits, '-' and '_'", range: one(context),
        fix: "put the value in quotes"
      )
    case (_, "while scanning an anchor"):
      return Finding(
        message: "'&' begins an anchor, which needs a name of letters, digits, '-' and '_'", range: one(context),
        fix: "put the value in quotes"
      )
    case (_, "while scanning a tag"), (_, "while parsing a tag"), ("found undefined tag handle", _):
      return Finding(
        message: "'!' begins a tag, but this is not a tag", range: one(context), fix: "put the value in quotes")
    case (_, "while scanning a directive"), (_, "while scanning a %YAML directive"),
      (_, "while scanning a %TAG directive"):
      return Finding(
        message: "a line that begins with '%' is a directive, but this is not a directive", range: one(context),
        fix: "remove the line, or indent it if it belongs to a text"
      )
    case ("found incompatible YAML document", _):
      return Finding(message: "only YAML 1.1 and 1.2 can be read", range: one(problem), fix: "remove the %YAML line")
    case (_, "while scanning a block scalar"):
      return Finding(
        message: "after '|' or '>' only '+', '-', a digit from 1 to 9 and a comment may stand", range: one(problem),
        fix: "begin the text on the next line"
      )
    default: return nil
    }
  }

  /// A quote that seems to open is the second one in an unquoted value, as in `{ run: echo "${X}" }`: a bracket between the two has ended the
  /// value.
  private var bracketInText: Finding? {
    let line = places.source.line(context.line).unicodeScalars
    let before = line.prefix(context.column - 1)
    guard let quote = places.source.scalar(at: context), !before.count(where: { $0 == quote }).isMultiple(of: 2),
      let first = before.lastIndex(of: quote),
      let bracket = before[first...].firstIndex(where: { "{}[],".unicodeScalars.contains($0) }),
      before[..<first].contains(where: { $0 == "{" || $0 == "[" })
    else { return nil }
    return endedText(
      at: SourceMark(line: context.line, column: line.distance(from: line.startIndex, to: bracket) + 1),
      String(line[bracket]))
  }

  private func endedText(at mark: SourceMark, _ character: String) -> Finding {
    Finding(
      message: "inside [ ] or { }, '\(character)' ends a text without quotes", range: one(mark),
      fix: "put the whole value in quotes, or its key on a separate line")
  }

  /// Errors in the layout of keys and lists.
  private var blockFinding: Finding? {
    switch (failure.problem, failure.context) {
    case ("could not find expected ':'", _): return keyWithoutColon
    case ("mapping values are not allowed in this context", _): return unexpectedColon
    case ("block sequence entries are not allowed in this context", _):
      return Finding(
        message: "a list cannot begin on the line of its key", range: one(problem),
        fix: "put each '- ' on a separate line, or write [a, b]"
      )
    case ("mapping keys are not allowed in this context", _):
      return Finding(message: "a value cannot begin with '? '", range: one(problem), fix: "put the value in quotes")
    case ("did not find expected key", _), ("did not find expected '-' indicator", _),
      ("did not find expected <document start>", _), ("did not find expected node content", _):
      return unexpectedToken
    default: return nil
    }
  }

  private var keyWithoutColon: Finding {
    let line = places.source.line(context.line).unicodeScalars
    if let colon = SourceText.tightColon(in: line.dropFirst(context.column - 1)) {
      let column = line.distance(from: line.startIndex, to: colon) + 1
      return missingSpace(at: SourceMark(line: context.line, column: column))
    }
    let word = String(line.dropFirst(context.column - 1))
    return Finding(
      message: "a line inside a mapping must be 'key: value', and this has no ':'",
      range: stretch(context, max(1, SourceText.trimmedLength(of: word))),
      fix: "write 'key: value', or indent the line if it belongs to the text above"
    )
  }

  private var unexpectedColon: Finding {
    let line = places.source.line(problem.line).unicodeScalars
    let before = line.prefix(problem.column - 1)
    if let colon = SourceText.looseColon(in: before) {
      let start = line[line.index(after: colon)...].firstIndex { $0 != " " } ?? colon
      let column = line.distance(from: line.startIndex, to: start) + 1
      return Finding(
        message: "': ' inside a value would begin another mapping on the same line", range: one(problem),
        fix: column < problem.column ? quoting(line[start...]) : "put the inner mapping on separate lines"
      )
    }
    if problem.column > 1024 {
      return Finding(
        message: "a key can have 1024 characters at most", range: one(problem), fix: "write '? ' before it")
    }
    // The lines above were parsed as one text that this line continues; the line that started it is the cause.
    let number = places.source.lineAbove(problem.line)
    if let number {
      let above = places.source.line(number).unicodeScalars
      if let colon = SourceText.tightColon(in: above[...]), SourceText.looseColon(in: above[...]) == nil {
        return missingSpace(
          at: SourceMark(line: number, column: above.distance(from: above.startIndex, to: colon) + 1)
        )
      }
    }
    let start = SourceMark(line: problem.line, column: places.source.indentation(of: problem.line) + 1)
    return Finding(
      message: "this key is indented deeper than the text above allows",
      range: SourceRange(start: start, end: max(problem, SourceMark(line: start.line, column: start.column + 1))),
      fix: number.map { "align it with line \($0), or quote the text there" }
    )
  }

  /// Returns how to quote a value with any contents.
  private func quoting(_ value: Substring.UnicodeScalarView) -> String {
    value.contains("'") && value.contains("\"")
      ? "begin the value with '|', and put the text on the next line" : "put the whole value in quotes"
  }

  private var unexpectedToken: Finding {
    if let lastQuoted, lastQuoted.end.line == problem.line, lastQuoted.end <= problem {
      if lastQuoted.start.line < lastQuoted.end.line {
        return Finding(
          message: "the quote that opens here closes only at line \(lastQuoted.end.line), where other text follows",
          range: one(lastQuoted.start), fix: "close the quote on this line"
        )
      }
      return Finding(
        message: "text follows a closing quote", range: one(problem),
        fix: "put the whole value in quotes, or double the quotes inside it"
      )
    }
    let character = places.source.scalar(at: problem)
    if character == "]" || character == "}" {
      return Finding(message: "no bracket was opened for this one", range: one(problem), fix: "remove it")
    }
    if character == ",", problem.column > places.source.indentation(of: problem.line) + 1 {
      return Finding(message: "a value cannot begin with ','", range: one(problem), fix: "put the value in quotes")
    }
    if problem.column == places.source.indentation(of: problem.line) + 1 {
      if failure.problem == "did not find expected '-' indicator" {
        return Finding(
          message: "a list item was expected here, which begins with '- '", range: one(problem),
          fix: "write '- ' before it, or indent it below the item that it belongs to"
        )
      }
      if character == "-" {
        return Finding(
          message: "a list item stands where a key is expected", range: one(problem),
          fix: "indent it below the key that the list belongs to"
        )
      }
      return Finding(
        message: "the indentation of this line does not match any line above", range: one(problem),
        fix: places.source.lineAbove(problem.line).map {
          "indent it by \(places.source.indentation(of: $0)) spaces, as line \($0)"
        }
      )
    }
    return Finding(message: "this does not belong here", range: one(problem), fix: "put the whole value in quotes")
  }

  /// Errors inside `[…]` and `{…}`.
  private var flowFinding: Finding? {
    let closing: String
    switch failure.problem {
    case "did not find expected ',' or ']'": closing = "]"
    case "did not find expected ',' or '}'": closing = "}"
    default: return nil
    }
    let offset = places.source.utf8Offset(of: problem)
    if places.byte(at: offset) == 0x7B, places.byte(at: offset - 1) == 0x24, places.byte(at: offset + 1) != 0x7B {
      return endedText(at: problem, "{")
    }
    if places.byte(at: offset) == 0x7B, places.byte(at: offset - 1) == 0x24 {
      return Finding(
        message: "an expression inside [ ] or { } must be in quotes",
        range: stretch(SourceMark(line: problem.line, column: problem.column - 1), 3), fix: "write \"${{ … }}\""
      )
    }
    let opening = closing == "]" ? "[" : "{"
    if offset >= places.bytes.count || (problem.line > context.line && places.source.isAtKey(problem)) {
      return Finding(
        message: "the '\(opening)' that opens here is never closed", range: one(context),
        fix: "close it with '\(closing)'"
      )
    }
    return Finding(
      message: "',' or '\(closing)' was expected here", range: one(problem),
      fix: "put ',' between the parts, and quotes around a text with special characters"
    )
  }

  private var other: Finding {
    Finding(message: "this is not valid YAML: \(failure.problem)", range: one(problem))
  }

  private func missingSpace(at colon: SourceMark) -> Finding {
    Finding(message: "a space is missing after this ':'", range: one(colon), fix: "write ': '")
  }

  private func one(_ mark: SourceMark) -> SourceRange { stretch(mark, 1) }

  private func stretch(_ mark: SourceMark, _ length: Int) -> SourceRange {
    SourceRange(start: mark, end: SourceMark(line: mark.line, column: mark.column + length))
  }
}
