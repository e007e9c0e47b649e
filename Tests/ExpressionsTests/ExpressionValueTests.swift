import OrderedCollections
import Testing
import Values

@testable import Expressions

/// The contexts used by the tables below.
private let contexts = ObjectContexts([
  "github": ["event_name": "push", "ref": "refs/heads/main", "actor": "octocat", "empty": .null],
  "env": ["DAY_OF_WEEK": "Monday", "Time": 3, "FLAG": "true"],
  "fruits": [
    ["name": "apple", "quantity": 1], ["name": "orange", "quantity": 2], ["name": "pear", "quantity": 1],
  ],
  "vegetables": [
    "scallions": ["colors": ["green", "white", "red"], "ediblePortions": ["roots", "stalks"]],
    "beets": ["colors": ["purple", "red", "gold"], "ediblePortions": ["roots", "stems", "leaves"]],
    "artichokes": ["colors": ["green", "purple", "red", "black"], "ediblePortions": ["hearts", "stems", "leaves"]],
  ],
  "results": [
    "fetch": ["count": 4, "big": 12_345_678_901_234_567, "half": 0.5, "tags": ["b", "a"], "none": []],
    "Mixed-Case": 1, "0": "zero", "": "nameless", "true": "yes",
  ],
  "grid": [[[1, 2], [3]], [[4]], "text"],
])

private func value(_ text: String) throws -> String {
  try Expression.parse(text).evaluate(in: contexts).text
}

@Suite("Values of expressions")
struct ExpressionValueTests {
  static let literals: [(String, String)] = [
    ("null", "null"), ("true", "true"), ("false", "false"), ("711", "711"), ("-9.2", "-9.2"), ("0xff", "255"),
    ("-2.99e-2", "-0.0299"), ("'Mona the Octocat'", #""Mona the Octocat""#),
    ("'It''s open source!'", #""It's open source!""#),
    ("''", #""""#), ("''''", #""'""#), ("0o17", "15"), ("+5", "5"), (".5", "0.5"), ("5.", "5"), ("-.5", "-0.5"),
    ("1e3", "1000"),
    ("1E+3", "1000"), ("1e400", "Infinity"), ("NaN", "NaN"), ("Infinity", "Infinity"), ("-Infinity", "-Infinity"),
    ("+Infinity", "Infinity"), ("0xffffffff", "-1"), ("0xFF", "255"), ("0x1e", "30"),
    ("9007199254740991", "9007199254740991"),
    ("9007199254740993", "9007199254740992"), ("1.0", "1"), ("-0", "0"), ("1e21", "1e+21"), ("007", "7"),
    ("'\u{1F600}}}'", "\"\u{1F600}}}\""), ("  1\n", "1"),
  ]

  @Test("a literal evaluates to its value", arguments: literals)
  func literal(text: String, expected: String) throws {
    #expect(try value(text) == expected)
  }

  static let paths: [(String, String)] = [
    ("github.ref", #""refs/heads/main""#), ("github['ref']", #""refs/heads/main""#), ("GITHUB.Event_Name", #""push""#),
    ("github.missing", "null"), ("github.missing.deeper", "null"), ("github.empty", "null"), ("env.time", "3"),
    ("results.mixed-case", "1"), ("results . fetch [ 'count' ]", "4"), ("results[0]", #""zero""#),
    ("results[null]", #""nameless""#),
    ("results[true]", #""yes""#), ("results[env.nothing]", #""nameless""#), ("results['fetch'].half", "0.5"),
    ("results.fetch.tags[1]", #""a""#), ("results.fetch.tags['1']", #""a""#), ("results.fetch.tags[1.9]", #""a""#),
    ("results.fetch.tags[null]", #""b""#), ("results.fetch.tags[true]", #""a""#), ("results.fetch.tags[-1]", "null"),
    ("results.fetch.tags[2]", "null"), ("results.fetch.tags['x']", "null"), ("results.fetch.tags.length", "null"),
    ("results.fetch.tags[Infinity]", "null"), ("results.fetch.tags[NaN]", "null"), ("results.fetch.count[0]", "null"),
    ("results.fetch.tags[results.fetch.tags]", "null"), ("results.fetch[results.fetch.tags]", "null"),
    ("fromJSON('{\"true\":1}')[true]", "1"), ("fromJSON('{\"A\":1,\"a\":2}').a", "2"),
    ("fromJSON('{\"A\":1,\"a\":2}')['A']", "1"),
    ("fruits[0].name", #""apple""#), ("(fruits)[1].name", #""orange""#), ("('text').name", "null"),
    ("results.fetch.big", "12345678901234567"), ("github.null", "null"), ("results[format('{0}', 'fetch')].count", "4"),
    ("results[fruits]", "null"),
  ]

  @Test("a path evaluates to its value", arguments: paths)
  func path(text: String, expected: String) throws {
    #expect(try value(text) == expected)
  }

  static let filters: [(String, String)] = [
    ("fruits.*.name", #"["apple","orange","pear"]"#), ("fruits[*].name", #"["apple","orange","pear"]"#),
    ("fruits . * . name", #"["apple","orange","pear"]"#), ("fruits.*['quantity']", "[1,2,1]"),
    ("vegetables.*.ediblePortions", #"[["roots","stalks"],["roots","stems","leaves"],["hearts","stems","leaves"]]"#),
    ("vegetables.*.ediblePortions[0]", #"["roots","roots","hearts"]"#),
    ("vegetables.*.*[0]", #"["green","roots","purple","roots","green","hearts"]"#),
    ("vegetables.*.colors.*", #"["green","white","red","purple","red","gold","green","purple","red","black"]"#),
    ("fruits.*.missing", "[]"), ("github.ref.*", "[]"), ("github.ref.*.name", "[]"), ("github.missing.*", "[]"),
    ("grid.*", #"[[[1,2],[3]],[[4]],"text"]"#), ("grid.*.*", "[[1,2],[3],[4]]"), ("grid.*.*.*", "[1,2,3,4]"),
    ("grid.*[0]", "[[1,2],[4]]"),
    ("grid.*[0].*", "[1,2,4]"), ("grid.*[1]", "[[3]]"), ("grid.*['0']", "[[1,2],[4]]"), ("grid[0].*", "[[1,2],[3]]"),
    ("(fruits.*).name", #"["apple","orange","pear"]"#), ("(null || fruits.*).name", #"["apple","orange","pear"]"#),
    ("case(true, fruits.*, 1).name", #"["apple","orange","pear"]"#), ("fruits.name", "null"),
    ("first(grid.*)[0]", "[1,2]"),
    ("fromJSON(toJSON(fruits.*)).name", "null"), ("fruits.*.name[0]", "[]"),
    ("contains(fruits.*.name, 'PEAR')", "true"),
    ("join(fruits.*.name, '+')", #""apple+orange+pear""#), ("fruits.*[fruits.*]", "[]"),
  ]

  @Test("a filter collects the values under every element", arguments: filters)
  func filter(text: String, expected: String) throws {
    #expect(try value(text) == expected)
  }

  static let operators: [(String, String)] = [
    ("!true", "false"), ("!!'x'", "true"), ("!''", "true"), ("!null", "true"), ("!0", "true"), ("!NaN", "true"),
    ("!-0", "true"),
    ("!fruits", "false"), ("!fromJSON('[]')", "false"), ("!fromJSON('{}')", "false"), ("!'0'", "false"),
    ("!'false'", "false"),
    ("1 || 2", "1"), ("0 || 2", "2"), ("'' || null", "null"), ("0 || ''", #""""#), ("1 && 2", "2"), ("0 && 2", "0"),
    ("'' && 2", #""""#),
    ("null && 1 || 'default'", #""default""#), ("true && 'a' || 'b'", #""a""#), ("1 || 0 && 0", "1"),
    ("(1 || 0) && 0", "0"),
    ("false || false || 3 || 4", "3"), ("1 && 2 && 3", "3"), ("1 == 1 && 2 > 1", "true"), ("!true == false", "true"),
    ("!(true == false)", "true"), ("1 < 2 == true", "true"), ("3 > 2 > 1", "false"), ("1 == 1 == 1", "true"),
    ("2 == 2 == 2", "false"),
    ("!1 > 0", "false"), ("true == 1 < 2", "true"), ("results.fetch.count > 3 && env.time != 0", "true"),
    ("github.event_name == 'PUSH'", "true"), ("'a' && (null || 'c')", #""c""#), ("((((1))))", "1"),
    ("! ! false", "false"),
    ("1 != 1 || fruits[0].quantity", "1"), ("case(1 < 2, 'less', 'more')", #""less""#),
  ]

  @Test("an operator returns the same as in GitHub Actions", arguments: operators)
  func operation(text: String, expected: String) throws {
    #expect(try value(text) == expected)
  }

  @Test("truth follows the table of falsy values")
  func truth() {
    let falsy: [JSONValue] = [.null, false, 0, 0.0, -0.0, "", .double(.nan)]
    let truthy: [JSONValue] = [true, 1, -1, 0.1, " ", "0", "false", [], [:], .double(.infinity)]
    for value in falsy { #expect(!value.isTruthy, "\(value.text)") }
    for value in truthy { #expect(value.isTruthy, "\(value.text)") }
  }

  @Test("members are requested one by one, and a whole context only if it is used as a whole")
  func asks() throws {
    let cases: [(String, [String])] = [
      ("results.x.y", ["results.x"]), ("results['x'][0]", ["results.x"]), ("results[0]", ["results.0"]),
      ("RESULTS.x", ["results.x"]),
      ("Release.x", ["Release.x"]), ("results[params.name]", ["params.name", "results.it"]),
      ("toJSON(results)", ["results"]),
      ("results.*.y", ["results"]), ("false && results.x", []), ("true || results.x", []),
      ("case(true, 1, results.x)", []),
      ("format('{1}', results.a, results.b)", ["results.b"]), ("format('{0}{0}', results.a)", ["results.a"]),
      ("results.x == results.x", ["results.x", "results.x"]), ("contains(fromJSON('[]'), results.x)", []),
      ("results.x[results.y]", ["results.x"]),
    ]
    for (text, expected) in cases {
      let recorder = RecordingContexts()
      _ = try Expression.parse(text).evaluate(in: recorder)
      #expect(recorder.asked == expected, "\(text)")
    }
  }

  @Test("status functions return the status, in any case")
  func status() throws {
    let cases: [(ExpressionStatus, [String: Bool])] = [
      (ExpressionStatus(), ["success()": true, "failure()": false, "cancelled()": false, "always()": true]),
      (
        ExpressionStatus(hasFailure: true),
        ["SUCCESS()": false, "Failure()": true, "cancelled()": false, "Always( )": true]
      ),
      (
        ExpressionStatus(isCancelled: true),
        ["success()": false, "failure()": false, "cancelled()": true, "always()": true]
      ),
    ]
    for (status, answers) in cases {
      for (text, expected) in answers {
        let expression = try Expression.parse(text)
        #expect(try expression.evaluate(in: ObjectContexts(status: status)) == .bool(expected), "\(text)")
        #expect(try expression.isTruthy(in: ObjectContexts(status: status)) == expected)
        #expect(expression.usesStatusFunction)
      }
    }
    #expect(try !Expression.parse("'success()' == 1").usesStatusFunction)
    #expect(try Expression.parse("1 && (2 || !failure())").usesStatusFunction)
  }

  @Test("errors of the contexts get the position of the reference")
  func contextErrors() throws {
    let cases: [(String, Int, Int)] = [
      ("1 && nope.x", 6, 6), ("toJSON(nope)", 8, 4), ("  nope", 3, 4), ("hashFiles('a')", 1, 14),
      ("'\u{1F600}' && nope", 8, 4),
    ]
    for (text, position, length) in cases {
      let error = #expect(throws: ExpressionError.self) { try Expression.parse(text).evaluate(in: contexts) }
      #expect(error?.position == position && error?.length == length, "\(text)")
    }
  }
}

/// Records what is requested; every member is null except `params.name`.
private final class RecordingContexts: ExpressionContexts {
  nonisolated(unsafe) var asked: [String] = []

  func member(_ name: String, of context: String) -> JSONValue? {
    asked.append("\(context).\(name)")
    return context == "params" ? "it" : nil
  }

  func whole(_ context: String) -> JSONValue? {
    asked.append(context)
    return [:]
  }

  var status: ExpressionStatus { ExpressionStatus() }

  func hashFiles(_ patterns: [String]) -> String { patterns.joined(separator: "|") }
}
