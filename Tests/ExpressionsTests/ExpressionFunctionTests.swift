import Testing
import Values

@testable import Expressions

@Suite("Functions of expressions")
struct ExpressionFunctionTests {
  private static let contexts = ObjectContexts([
    "x": ["list": ["push", "pull_request", 3, .null, true], "object": ["b": 1, "a": [1, [:], []]], "text": "Hello"],
    "steps": ["foo": ["outputs": ["labels": [["name": "bug"], ["name": "help wanted"]]]]],
  ])

  static let values: [(String, String)] = [
    ("contains('Hello world', 'llo')", "true"), ("contains('Hello world', 'LLO')", "true"),
    ("contains('Hello', 'x')", "false"),
    ("contains('Hello', '')", "true"), ("contains('', '')", "true"), ("contains(null, '')", "true"),
    ("contains(123, 2)", "true"),
    ("contains(true, 'RU')", "true"), ("contains('ÄB', 'äb')", "true"),
    ("contains(fromJSON('[\"push\", \"pull_request\"]'), 'PUSH')", "true"),
    ("contains(x.list, '3')", "true"), ("contains(x.list, 'pus')", "false"), ("contains(x.list, null)", "true"),
    ("contains(x.list, 1)", "true"),
    ("contains(x.list, 0)", "true"), ("contains(fromJSON('[]'), null)", "false"), ("contains(x.object, 'a')", "false"),
    ("contains(x.list, x.list)", "false"),
    ("contains('a', x.list)", "false"), ("contains(steps.foo.outputs.labels.*.name, 'Bug')", "true"),
    ("contains('aaab', 'aab')", "true"),
    ("startsWith('Hello world', 'He')", "true"), ("startsWith('Hello', 'hE')", "true"),
    ("startsWith('Hello', 'lo')", "false"),
    ("startsWith('a', '')", "true"), ("startsWith(12, 1)", "true"), ("startsWith(x.list, '')", "false"),
    ("startsWith('', x.list)", "false"),
    ("endsWith('Hello world', 'LD')", "true"), ("endsWith('Hello', 'He')", "false"),
    ("endsWith('lo', 'Hello')", "false"), ("endsWith('a', '')", "true"),
    ("format('Hello {0} {1} {2}', 'Mona', 'the', 'Octocat')", #""Hello Mona the Octocat""#),
    ("format('{{Hello {0} {1} {2}!}}', 'Mona', 'the', 'Octocat')", #""{Hello Mona the Octocat!}""#),
    ("format('{0}{0}{1}', 1, null)", #""11""#), ("format('{{0}}')", #""{0}""#), ("format('{{{0}}}', 1)", #""{1}""#),
    ("format('')", #""""#),
    ("format('{0:}', 1)", #""1""#), ("format('{0}', x.list)", #""Array""#), ("format('{00}', 'a')", #""a""#),
    ("format('{0}', 1e20)", #""1E+20""#),
    ("format('ä{0}', '{0}')", #""ä{0}""#), ("format(12)", #""12""#), ("join(x.list)", #""push,pull_request,3,,true""#),
    ("join(x.list, '-')", #""push-pull_request-3--true""#),
    ("join(fromJSON('[1,[2],{}]'))", #""1,Array,Object""#), ("join(fromJSON('[]'), '-')", #""""#),
    ("join('text', '-')", #""text""#), ("join(12)", #""12""#),
    ("join(x.object)", #""""#), ("join(x.list, x.list)", #""push,pull_request,3,,true""#),
    ("join(x.list, null)", #""pushpull_request3true""#),
    ("toJSON(null)", #""null""#), ("toJSON(true)", #""true""#), ("toJSON('a\"b')", #""\"a\\\"b\"""#),
    ("toJSON(1e20)", #""1E+20""#), ("toJSON(NaN)", #""NaN""#),
    ("toJSON(fromJSON('[]'))", #""[]""#), ("toJSON(fromJSON('{}'))", #""{}""#),
    ("toJSON(x.object)", #""{\n  \"b\": 1,\n  \"a\": [\n    1,\n    {},\n    []\n  ]\n}""#),
    ("toJSON('\u{2028}\u{1}/\u{7F}é')", "\"\\\"\\\\u2028\\\\u0001/\u{7F}é\\\"\""), ("tojson(1.50)", #""1.5""#),
    ("fromJSON('true')", "true"), ("fromJSON('1.0')", "1"), ("fromJSON(' [1, 2] ')[1]", "2"),
    ("fromJSON(true)", "true"), ("fromJSON(12)", "12"),
    ("fromJSON(toJSON(x.object)).a[0]", "1"), ("fromJSON('9223372036854775807')", "9223372036854775807"),
    ("FROMjson('null')", "null"),
    ("case(true, 1, 2)", "1"), ("case(false, 1, 2)", "2"), ("case(false, 1, true, 2, 3)", "2"),
    ("case(1 == 2, 'a', 2 == 3, 'b', 'c')", #""c""#),
    ("Case(true, x.list, 1)[2]", "3"), ("length('Häi\u{1F600}')", "4"), ("length(x.list)", "5"),
    ("length(x.object)", "2"), ("length(null)", "0"), ("length('')", "0"),
    ("keys(x.object)", #"["b","a"]"#), ("keys(null)", "[]"), ("first(x.list)", #""push""#), ("last(x.list)", "true"),
    ("first(fromJSON('[]'))", "null"), ("last(null)", "null"),
    ("length(x.list) > 2 && first(x.list) == 'push'", "true"),
  ]

  @Test("a function returns its value", arguments: values)
  func value(text: String, expected: String) throws {
    #expect(try Expression.parse(text).evaluate(in: Self.contexts).text == expected)
  }

  static let failures: [(String, code: String, position: Int, length: Int)] = [
    ("format('{')", "format-string", 8, 3), ("format('}')", "format-string", 8, 3),
    ("format('{0', 1)", "format-string", 8, 4), ("format('{}', 1)", "format-string", 8, 4),
    ("format('{a}', 1)", "format-string", 8, 5), ("format('{0}')", "format-string", 8, 5),
    ("1 && format('{1}', 1)", "format-string", 13, 5), ("format('{0:x}', 1)", "format-string", 8, 7),
    ("format('{256}', 1)", "format-string", 8, 7), ("format('{ 0}', 1)", "format-string", 8, 6),
    ("format('{0}}', 1)", "format-string", 8, 6), ("format('{-1}', 1)", "format-string", 8, 6),
    ("fromJSON('')", "invalid-json", 10, 2), ("fromJSON('{')", "invalid-json", 10, 3),
    ("fromJSON(x.list)", "invalid-json", 10, 6), ("fromJSON(null)", "invalid-json", 10, 4),
    ("case(1, 2, 3)", "argument-type", 6, 1), ("case(false, 2, 'x', 3, 4)", "argument-type", 16, 3),
    ("length(1)", "argument-type", 8, 1), ("length(true)", "argument-type", 8, 4),
    ("keys(x.list)", "argument-type", 6, 6), ("first('abc')", "argument-type", 7, 5),
    ("last(x.object)", "argument-type", 6, 8), ("first(length(false))", "argument-type", 14, 5),
  ]

  @Test("a failing function reports its position", arguments: failures)
  func failure(text: String, code: String, position: Int, length: Int) throws {
    let error = #expect(throws: ExpressionError.self) { try Expression.parse(text).evaluate(in: Self.contexts) }
    #expect(
      error?.code == code && error?.position == position && error?.length == length, "\(String(describing: error))")
  }

  @Test("case evaluates only the arguments it needs")
  func laziness() throws {
    #expect(try Expression.parse("case(true, 1, fromJSON(''), 2, fromJSON(''))").evaluate(in: Self.contexts) == 1)
    #expect(try Expression.parse("false && fromJSON('')").evaluate(in: Self.contexts) == false)
    #expect(try Expression.parse("1 || fromJSON('')").evaluate(in: Self.contexts) == 1)
  }

  @Test("text over 10 MiB is an error instead of exhausting memory")
  func memory() throws {
    let part = String(repeating: "x", count: 2_000_000)
    let contexts = ObjectContexts([
      "x": ["part": .string(part), "parts": .array(Array(repeating: .string(part), count: 10))]
    ])
    for text in ["format('{0}{0}{0}{0}{0}{0}', x.part)", "join(x.parts)", "toJSON(x.parts)"] {
      let error = #expect(throws: ExpressionError.self) { try Expression.parse(text).evaluate(in: contexts) }
      #expect(error?.code == "expression-too-large" && error?.position == 1, "\(text)")
    }
    #expect(try Expression.parse("length(format('{0}{0}{0}{0}{0}', x.part))").evaluate(in: contexts) == 10_000_000)
  }

  @Test("hashFiles passes its patterns to the contexts")
  func hashFiles() throws {
    struct Hashing: ExpressionContexts {
      func member(_ name: String, of context: String) -> JSONValue? { nil }
      func whole(_ context: String) -> JSONValue? { nil }
      var status: ExpressionStatus { ExpressionStatus() }
      func hashFiles(_ patterns: [String]) -> String { patterns.joined(separator: "|") }
    }
    #expect(try Expression.parse("hashFiles('a', 'b/**', 1)").evaluate(in: Hashing()) == "a|b/**|1")
  }

  @Test("hashFiles fails outside of a run")
  func hashFilesWithoutRun() throws {
    let expression = try Expression.parse("hashFiles('a')")
    let error = #expect(throws: ExpressionError.self) { try expression.evaluate(in: ObjectContexts()) }
    #expect(error?.code == "no-files")
    #expect(error?.position == 1)
  }
}
