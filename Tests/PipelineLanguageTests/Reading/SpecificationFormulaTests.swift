import Testing
import Values

@testable import Expressions
@testable import PipelineLanguage

@Suite("Conditions over specifications")
struct SpecificationFormulaTests {
  /// Returns a condition in Lisp notation.
  private func shape(_ node: SpecificationFormula.Node) -> String {
    switch node {
    case .always: "always"
    case .never: "never"
    case .connected: "connected"
    case .foreground: "foreground"
    case .olderThan(let age): "older:\(DurationNotation.format(age))"
    case .fileExists(let path): "exists:\(path.text)"
    case .changed(let path): "changed:\(path.text)"
    case .succeeded(let pipeline): "succeeded:\(pipeline)"
    case .plugin(let use): "plugin:\(use.offer)"
    case .named(let position): "#\(position)"
    case .not(let operand): "(! \(shape(operand)))"
    case .and(let operands): "(&& " + operands.map(shape).joined(separator: " ") + ")"
    case .or(let operands): "(|| " + operands.map(shape).joined(separator: " ") + ")"
    }
  }

  private func parse(_ text: String, for use: SpecificationUse = .staleWhen) throws -> ParsedFormula {
    try SpecificationParser.parse(text, for: use, specifications: ["online": 0, "office-hours": 1, "_2": 2])
  }

  private func shape(of text: String) throws -> String {
    let parsed = try parse(text)
    #expect(parsed.problems == [])
    return shape(parsed.formula.root)
  }

  private func failure(_ text: String, for use: SpecificationUse = .staleWhen) -> String? {
    do {
      let problems = try parse(text, for: use).problems
      return problems.isEmpty
        ? nil
        : problems.map { "\($0.position)+\($0.length) \($0.message)" + ($0.fix.map { " (\($0))" } ?? "") }
          .joined(separator: "; ")
    } catch let error as ExpressionError {
      return "\(error.position)+\(error.length) \(error.code) \(error.message)" + (error.fix.map { " (\($0))" } ?? "")
    } catch {
      return "\(error)"
    }
  }

  @Test("'!' binds tighter than '&&', which binds tighter than '||'; chains are one level")
  func precedence() throws {
    #expect(try shape(of: "online") == "#0")
    #expect(try shape(of: "!online && office-hours || connected") == "(|| (&& (! #0) #1) connected)")
    #expect(try shape(of: "online || office-hours && always && never") == "(|| #0 (&& #1 always never))")
    #expect(try shape(of: "!(online || _2) && !!foreground") == "(&& (! (|| #0 #2)) (! (! foreground)))")
    #expect(try shape(of: "  online\n  && office-hours\n") == "(&& #0 #1)")
    #expect(try parse("  online\n  && office-hours\n").formula.text == "online\n  && office-hours")
  }

  @Test("an argument is bare or quoted, and may contain '${{ }}' with any contents")
  func arguments() throws {
    #expect(try shape(of: "older-than(1h30m)") == "older:1h30m")
    #expect(try shape(of: "older-than( '2d' )&&connected") == "(&& older:2d connected)")
    #expect(try shape(of: "file-exists(./in box/go && run.txt) || never") == "(|| exists:./in box/go && run.txt never)")
    #expect(try shape(of: "file-exists('a (1).txt')") == "exists:a (1).txt")
    #expect(try shape(of: #"changed("it's")"#) == "changed:it's")
    #expect(
      try shape(of: "changed(${{ format('{0}))', params.p) }}/x)") == "changed:${{ format('{0}))', params.p) }}/x")
    #expect(try shape(of: "changed('it''s \"here\"')") == "changed:it's \"here\"")
    #expect(try shape(of: #"changed("""it's"".txt" ) && always"#) == #"(&& changed:"it's".txt always)"#)
    #expect(try shape(of: "changed('''')") == "changed:'")
    #expect(
      try shape(of: "changed('${{ format('''{0}', params.p) }}''')") == "changed:${{ format('''{0}', params.p) }}'")
    #expect(try shape(of: "succeeded (nightly.build)") == "succeeded:nightly.build")
  }

  @Test("an expression in an argument has its position in the whole text")
  func templates() throws {
    let parsed = try parse("online && file-exists('${{ params.p }}/x')")
    #expect(parsed.templates.map(\.offset) == [23])
    #expect(parsed.templates.first?.template.references.first?.position == 5)
    #expect(try parse("changed('it''s/${{ params.p }}')").templates.map(\.offset) == [10])
    #expect(parsed.names.map(\.place.position) == [1])
  }

  @Test("a syntax error is reported at its position")
  func syntax() {
    #expect(failure("") == "1+1 specification-syntax expected a specification")
    #expect(
      failure("online &&")
        == "10+1 specification-syntax unexpected end of the condition, expected a specification")
    #expect(failure("online && && online") == "11+2 specification-syntax unexpected '&&', expected a specification")
    #expect(failure("(online") == "8+1 specification-syntax unexpected end of the condition, expected ')'")
    #expect(failure("online)") == "7+1 specification-syntax unexpected ')', which closes nothing")
    #expect(
      failure("online & never")
        == "8+1 specification-syntax unexpected '&', expected '&&', '||' or the end ('and' is written '&&')")
    #expect(
      failure("online and never")
        == "8+3 specification-syntax unexpected 'and', expected '&&', '||' or the end ('and' is written '&&')")
    #expect(
      failure("not online")
        == "1+3 specification-syntax unexpected 'not', expected a specification ('not' is written '!')")
    #expect(
      failure("online == true")
        == "8+1 specification-syntax unexpected '=', expected '&&', '||' or the end (a condition on specifications cannot compare values: use 'when' for that)"
    )
    #expect(
      failure("${{ params.x }}")
        == "1+3 specification-syntax unexpected '${{', expected a specification (a condition on specifications is written without '${{ }}'; conditions on values belong under 'when')"
    )
    #expect(
      failure("file-exists(x")
        == "12+1 specification-syntax the argument of 'file-exists' is not closed (add ')')")
    #expect(
      failure("file-exists('x)")
        == "12+1 specification-syntax the quotes around the argument of 'file-exists' are not closed (add ' before the ')')"
    )
    #expect(
      failure("file-exists('it's')")
        == "17+1 specification-syntax the argument of 'file-exists' continues after its closing quote (a ' inside is written twice: '')"
    )
    #expect(failure("online online") == "8+6 specification-syntax unexpected 'online', expected '&&', '||' or the end")
    #expect(failure("§") == "1+1 specification-syntax unexpected '§', expected a specification")
  }

  @Test("errors in names and arguments are reported all at once")
  func problems() {
    #expect(
      failure("onlin && conected || true && office.hours")
        == """
        1+5 there is no specification 'onlin' (did you mean 'online'?); \
        10+8 there is no specification 'conected' (did you mean 'connected'?); \
        22+4 there is no specification 'true' (write 'always'); \
        30+12 'office.hours' is not a specification of this pipeline: a plugin's specification needs a name here (add it: 'specifications: {a-name: {uses: office.hours}}', and use the name)
        """)
    #expect(failure("older-then(1h)") == "1+10 there is no specification 'older-then' (did you mean 'older-than(1h)'?)")
    #expect(failure("older-than") == "1+10 'older-than' needs an argument (write it like older-than(1h))")
    #expect(failure("changed()") == "1+7 'changed' needs an argument (write it like changed(path))")
    #expect(failure("connected(x)") == "1+9 'connected' takes no argument")
    #expect(failure("online()") == "1+6 'online' is a specification of the pipeline, which takes no argument")
    #expect(
      failure("older-than(60)")
        == "12+2 'older-than' needs a duration with its unit, found '60' (for seconds write '60s')")
    #expect(failure("older-than( 0s )") == "13+2 'older-than' must be greater than zero")
    #expect(failure("succeeded(two words)")?.hasPrefix("11+9 'two words' cannot be a pipeline's name") == true)
    #expect(failure("file-exists(${{ params. }})")?.hasPrefix("24+") == true)
    #expect(failure("file-exists(${{ params.x)")?.hasPrefix("12+1 specification-syntax") == false)
    #expect(
      failure("params.x") == "1+8 'params.x' is a value, not a specification (conditions on values belong under 'when')"
    )
    #expect(failure("reachable") == "1+9 'reachable' can be used only under 'early' of a retry")
    #expect(
      failure("peer-success", for: .early)
        == "1+12 'peer-success' cannot be combined: it is an event, not a specification (make it a separate entry in the list of 'early')"
    )
  }

  @Test("nesting and length are limited")
  func bounds() throws {
    #expect(
      try shape(of: String(repeating: "!", count: 50) + "online").hasSuffix("#0" + String(repeating: ")", count: 50)))
    #expect(failure(String(repeating: "!", count: 51) + "online")?.hasPrefix("51+1 specification-too-deep") == true)
    #expect(failure(String(repeating: "(", count: 20_000))?.hasPrefix("51+1 specification-too-deep") == true)
    #expect(failure(String(repeating: "x", count: 21_001))?.hasPrefix("21001+1 specification-too-long") == true)
    let chain = Array(repeating: "online", count: 2_000).joined(separator: "||")
    #expect(failure(chain) == nil)
  }

  @Test("no text makes the parser fail except with an error", arguments: 0..<200)
  func hostile(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    let parts = [
      "!", "&&", "||", "(", ")", " ", "online", "older-than", "(1h)", "'", "\"", "${{", "}}", "é", ".", "\n", "-",
    ]
    var text = ""
    for _ in 0..<40 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      text += parts[Int(state % UInt64(parts.count))]
    }
    guard let failure = failure(text) else { return }
    #expect(!failure.isEmpty)
  }
}
