import OperationsTesting
import Testing
import Values

@testable import Expressions

@Suite("Parsing expressions")
struct ExpressionParserTests {
  /// Text, position, length, and a part of the message or fix.
  static let failures: [(String, position: Int, length: Int, says: String)] = [
    ("", 1, 1, "expected an expression"), ("   ", 1, 1, "expected an expression"), ("1 +", 4, 1, "unexpected end"),
    ("1 -2", 3, 1, "a space on each side, as in 'a - b'"), ("1 - -a", 5, 2, "0 - a"), ("+ 1", 1, 1, "0 - a"),
    ("(1)-(2)", 4, 1, "as in 'a - b'"), ("a* b", 1, 2, "unexpected 'a*'"), ("a*b", 1, 3, "as in 'a * b'"),
    ("(a)*b", 4, 1, "as in 'a * b'"), ("a.b /c", 5, 1, "as in 'a / b'"), ("2%3", 1, 3, "as in 'a % b'"),
    ("1+2", 1, 3, "as in 'a + b'"), ("a- b", 4, 1, "as in 'a - b'"), ("/ 2", 1, 1, "unexpected '/'"),
    ("1 * * 2", 5, 1, "unexpected '*'"), ("a + / b", 5, 1, "unexpected '/'"), ("a. - b", 4, 1, "expected a name"),
    ("[1", 3, 1, "expected ']'"), ("[1,]", 4, 1, "expected a value"), ("[,1]", 2, 1, "expected a value"),
    ("[1 2]", 4, 1, "unexpected '2'"), ("[1)", 3, 1, "expected ']'"), ("[", 2, 1, "unexpected end"),
    ("[*]", 2, 1, "unexpected '*'"), ("a[[]", 5, 1, "expected ']'"), ("([1, 2)", 7, 1, "expected ']'"),
    ("\"x\"", 1, 3, "use single quotes"),
    ("a == \"x\"", 6, 3, "use single quotes"), ("'abc", 1, 4, "not closed"), ("a == 'abc''", 6, 6, "not closed"),
    ("a = b", 3, 1, "'=='"), ("a === b", 5, 1, "'=='"),
    ("a & b", 3, 1, "'&&'"), ("a | b", 3, 1, "'||'"), ("a and b", 3, 3, "'&&'"), ("a or b", 3, 2, "'||'"),
    ("not a", 5, 1, "'!'"), ("a b", 3, 1, "unexpected 'b'"),
    ("a ==", 5, 1, "unexpected end"), ("== a", 1, 2, "unexpected '=='"), ("(a", 3, 1, "expected ')'"),
    ("a)", 2, 1, "closes nothing"), ("(a]", 3, 1, "expected ')'"),
    ("a[1", 4, 1, "expected ']'"), ("a[1)", 4, 1, "expected ']'"), ("a[]", 3, 1, "unexpected ']'"),
    ("a[1,2]", 4, 1, "expected ']'"), ("a]", 2, 1, "closes nothing"),
    ("()", 2, 1, "unexpected ')'"), ("a, b", 2, 1, "unexpected ','"), ("(a, b)", 3, 1, "expected ')'"),
    ("a.", 3, 1, "expected a name"), ("a..b", 3, 1, "unexpected '.'"),
    ("a.5", 3, 1, "unexpected '5'"), ("a.'b'", 3, 3, "expected a name"), ("a.b.(c)", 5, 1, "expected a name"),
    ("'a'.b", 4, 1, "a literal has no members"),
    ("1[0]", 2, 1, "a literal has no members"), ("null.x", 5, 1, "a literal has no members"),
    ("a!b", 2, 1, "unexpected '!'"), ("a.b(c)", 4, 1, "unexpected '('"),
    ("null(1)", 5, 1, "unexpected '('"), ("*", 1, 1, "unexpected '*'"), ("a[*", 4, 1, "expected ']'"),
    ("a[*.b]", 4, 1, "expected ']'"), ("a.*.", 5, 1, "expected a name"),
    ("!", 2, 1, "unexpected end"), ("contain('a','b')", 1, 7, "did you mean 'contains'?"),
    ("foo()", 1, 3, "unknown function 'foo'"), ("1 && formt('x')", 6, 5, "did you mean 'format'?"),
    ("contains('a')", 1, 8, "too few arguments"), ("contains('a','b','c')", 1, 8, "too many arguments"),
    ("success(1)", 1, 7, "too many arguments"), ("format()", 1, 6, "too few arguments"),
    ("case(true, 1)", 1, 4, "too few arguments"), ("case(true, 1, 2, 3)", 1, 4, "leaves no default"),
    ("contains('a',)", 14, 1, "expected a value"), ("contains(,'a')", 10, 1, "expected a value"),
    ("contains('a' 'b')", 14, 3, "unexpected ''b''"), ("contains('a'", 13, 1, "expected ')'"),
    ("contains(", 10, 1, "unexpected end"), ("1x", 1, 2, "unexpected '1x'"), ("0x", 1, 2, "unexpected '0x'"),
    ("1.2.3", 1, 5, "unexpected '1.2.3'"), ("-a", 1, 2, "unexpected '-a'"), ("a-b -c", 5, 1, "as in 'a - b'"),
    ("a ? b : c", 3, 1, "case("), ("${{ a }}", 1, 3, "without '${{ }}'"),
    ("a @ b", 3, 1, "unexpected '@'"), ("ä", 1, 1, "unexpected 'ä'"), ("'\u{1F600}ä' b", 6, 1, "unexpected 'b'"),
    ("a\u{0}b", 1, 3, "unexpected"), ("a < > b", 5, 1, "unexpected '>'"), ("a && || b", 6, 2, "unexpected '||'"),
    ("-NaN", 1, 4, "unexpected '-NaN'"), ("a;", 1, 2, "unexpected 'a;'"), ("{}", 1, 2, "unexpected '{}'"),
  ]

  @Test("a mistake is reported with its position", arguments: failures)
  func failure(text: String, position: Int, length: Int, says: String) throws {
    let error = #expect(throws: ExpressionError.self) { try Expression.parse(text) }
    #expect(error?.position == position && error?.length == length, "\(String(describing: error))")
    #expect(error?.description.contains(says) == true, "\(String(describing: error))")
  }

  @Test("trees are at most 50 levels deep, as counted by GitHub")
  func depth() throws {
    func nots(_ count: Int) -> String { String(repeating: "!", count: count) + "true" }
    _ = try Expression.parse(nots(49))
    #expect(throws: ExpressionError.self) { try Expression.parse(nots(50)) }
    _ = try Expression.parse("a" + String(repeating: ".b", count: 49))
    #expect(throws: ExpressionError.self) { try Expression.parse("a" + String(repeating: ".b", count: 50)) }
    #expect(throws: ExpressionError.self) { try Expression.parse("a" + String(repeating: "[0]", count: 50)) }
    #expect(throws: ExpressionError.self) {
      try Expression.parse(Array(repeating: "1", count: 51).joined(separator: " == "))
    }
    // Parentheses and chains of the same operator do not count as levels.
    _ = try Expression.parse(String(repeating: "(", count: 10_000) + "1" + String(repeating: ")", count: 10_000))
    _ = try Expression.parse(Array(repeating: "1", count: 4000).joined(separator: "||"))
    _ = try Expression.parse(Array(repeating: "success()", count: 1600).joined(separator: "&&"))
    _ = try Expression.parse(String(repeating: "1||(", count: 4000) + "1" + String(repeating: ")", count: 4000))
    #expect(throws: ExpressionError.self) {
      try Expression.parse(String(repeating: "length(", count: 2000) + "1" + String(repeating: ")", count: 2000))
    }
    #expect(throws: ExpressionError.self) { try Expression.parse(String(repeating: "length(", count: 2900)) }
    _ = try Expression.parse(String(repeating: "[", count: 49) + "1" + String(repeating: "]", count: 49))
    #expect(throws: ExpressionError.self) {
      try Expression.parse(String(repeating: "[", count: 50) + "1" + String(repeating: "]", count: 50))
    }
    #expect(throws: ExpressionError.self) { try Expression.parse(String(repeating: "[", count: 20_000)) }
    _ = try Expression.parse("[" + Array(repeating: "1", count: 5000).joined(separator: ",") + "]")
    _ = try Expression.parse(Array(repeating: "1", count: 50).joined(separator: " + "))
    #expect(throws: ExpressionError.self) {
      try Expression.parse(Array(repeating: "1", count: 51).joined(separator: " + "))
    }
    #expect(throws: ExpressionError.self) { try Expression.parse(String(repeating: "a[", count: 10_000)) }
  }

  @Test("an expression is at most 21,000 UTF-16 code units long")
  func length() throws {
    _ = try Expression.parse("'" + String(repeating: "x", count: 20_998) + "'")
    _ = try Expression.parse("'" + String(repeating: "ä", count: 20_998) + "'")
    let error = #expect(throws: ExpressionError.self) {
      try Expression.parse("'" + String(repeating: "x", count: 20_999) + "'")
    }
    #expect(error?.code == "expression-too-long")
  }

  @Test("references contain the fixed part of each path and its position")
  func references() throws {
    let cases: [(String, [ExpressionReference])] = [
      ("1", []),
      ("results.fetch.count > 3", [.init(context: "results", path: ["fetch", "count"], position: 1, length: 19)]),
      ("results['a b'] [ 'c' ].d[0].e", [.init(context: "results", path: ["a b", "c", "d"], position: 1, length: 24)]),
      ("toJSON(Results)", [.init(context: "results", path: [], position: 8, length: 7)]),
      ("Release.tag", [.init(context: "Release", path: ["tag"], position: 1, length: 11)]),
      (
        "results[params.x].y",
        [
          .init(context: "results", path: [], position: 1, length: 7),
          .init(context: "params", path: ["x"], position: 9, length: 8),
        ]
      ),
      ("results.*.y", [.init(context: "results", path: [], position: 1, length: 7)]),
      (
        "'ä\u{1F600}' == env.A || format('{0}', env.B)",
        [
          .init(context: "env", path: ["A"], position: 9, length: 5),
          .init(context: "env", path: ["B"], position: 32, length: 5),
        ]
      ),
      ("(results).fetch", [.init(context: "results", path: ["fetch"], position: 2, length: 14)]),
      ("(1 || results).x", [.init(context: "results", path: [], position: 7, length: 7)]),
    ]
    for (text, expected) in cases { #expect(try Expression.parse(text).references == expected, "\(text)") }
  }

  @Test("a result has a default if every use of it is on the left of a ||")
  func defaults() throws {
    let cases: [(String, Set<String>)] = [
      ("results.x", []), ("results.x || 1", ["x"]), ("results.x.count || 1", ["x"]), ("1 || results.x", []),
      ("results.x || results.y || 1", ["x", "y"]),
      ("results.x || results.y", ["x"]), ("(results.x || 1) == results.x", []), ("results.x && 'a' || 'b'", ["x"]),
      ("format('{0}', results.x || '')", ["x"]),
      ("results.x == 1 || true", []), ("length(results.x) || 0", []), ("results['x'] || 0", ["x"]),
      ("(results.x || 1) && results.y", ["x"]),
      ("(results.x || results.y) || 1", ["x", "y"]), ("results.x[results.y] || 1", ["x"]), ("params.x || 1", []),
      ("!results.x || 1", []), ("results.x.*.name || 1", ["x"]),
    ]
    for (text, expected) in cases { #expect(try Expression.parse(text).resultsWithDefault == expected, "\(text)") }
  }

  @Test("expressions with the same text are equal")
  func equality() throws {
    #expect(try Expression.parse("a == 1") == Expression.parse("a == 1"))
    #expect(try Set([Expression.parse("a"), Expression.parse("a"), Expression.parse("b")]).count == 2)
  }

  @Test("no text crashes the parser, the evaluation or the checker")
  func fuzz() throws {
    var random = SeededRandom(seed: 0x5EED)
    let pieces = [
      "results", "params", "x", ".", "[", "]", "(", ")", "*", "!", "&&", "||", "==", "!=", "<", "<=", ">", ">=", ",",
      "'a'", "''", "'", "1", "0x1f", "-2.5", ".5",
      "null", "true", "NaN", "Infinity", " ", "\t", "contains(", "format(", "'{0}{1}'", "case(", "toJSON(", "fromJSON(",
      "join(", "first(", "keys(", "length(", "success()",
      "${{", "}}", "\"", "é", "\u{1F600}", "\u{0}", "=", "&", "|", "$", "-", "+", "e", "[*]", ".*", ".fetch",
      "['fetch']", "[0]", " + ", " - ", " * ", " / ", " % ", "[1, ", "2]", ", ", "formatDate(", "addDuration(",
      "'2026-11-01'", "'2026-11-01T03:00:00Z'", "'%F %V'", "'-7d'", "'UTC'", "0",
    ]
    let contexts = ObjectContexts([
      "results": ["fetch": [["tag": "a", "n": 1]], "x": "text"], "params": ["x": 1], "x": [1, [2], "three"],
    ])
    for _ in 0..<5000 {
      var text = ""
      for _ in 0..<random.next(below: 24) { text += pieces[random.next(below: pieces.count)] }
      do {
        let expression = try Expression.parse(text)
        _ = ExpressionChecker.check(expression, in: AnyEnvironment())
        _ = try expression.evaluate(in: contexts)
      } catch {
        #expect(
          error.position >= 1 && error.position <= text.unicodeScalars.count + 1 && error.length >= 1,
          "\(text): \(error)")
      }
      _ = try? Template.parse(text).evaluate(in: contexts)
      _ = try? JSONValue.parse(text)
      _ = try? ValueType.parse(text)
      _ = DurationNotation.parse(text)
    }
    for _ in 0..<5000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<random.next(below: 40) {
        let value = UInt32(random.next(below: random.next(below: 4) == 0 ? 0x11_0000 : 0x80))
        text.append(Unicode.Scalar(value) ?? " ")
      }
      let string = String(text)
      if let expression = try? Expression.parse(string) { _ = try? expression.evaluate(in: contexts) }
      _ = try? Template.parse(string)
      _ = try? JSONValue.parse(string)
      _ = TimestampNotation.parse(string)
      _ = SizeNotation.parse(string)
    }
  }

  private struct AnyEnvironment: TypeEnvironment {
    var contextNames: [String] { ["results", "x"] }

    func type(of context: String) -> ContextType? {
      switch context {
      case "results":
        .members(
          { $0 == "fetch" ? MemberType(.list(.object([.init(name: "tag", type: .string)]))) : nil },
          names: { ["fetch"] })
      case "x": .value(.list(.json))
      default: nil
      }
    }
  }
}
