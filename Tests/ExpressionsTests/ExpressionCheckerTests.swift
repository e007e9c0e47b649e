import Testing
import Values

@testable import Expressions

/// The contexts of a pipeline: several results, a parameter of each kind, and the item of a `for_each` loop.
private struct Environment: TypeEnvironment {
  static let release = ValueType.object([
    .init(name: "tag", type: .string), .init(name: "notes", type: .string),
    .init(name: "draft", type: .bool, isOptional: true),
    .init(name: "assets", type: .list(.object([.init(name: "size", type: .int)]))),
  ])
  static let members: [String: [String: MemberType]] = [
    "results": [
      "fetch": MemberType(.list(release)), "count": MemberType(.int, isOptional: true), "latest": MemberType(release),
      "any": MemberType(.json), "quiet": MemberType(.none), "names": MemberType(.list(.string)),
      "my op": MemberType(.int),
    ],
    "params": [
      "feed": MemberType(.string), "limit": MemberType(.int), "rate": MemberType(.number), "flag": MemberType(.bool),
      "pause": MemberType(.duration), "space": MemberType(.size), "at": MemberType(.timestamp),
      "day": MemberType(.date),
      "path": MemberType(.file),
    ],
  ]

  var contextNames: [String] { ["params", "results", "release", "run"] }

  func type(of context: String) -> ContextType? {
    switch context {
    case "release": return .value(Self.release)
    case "run": return .value(.json)
    default:
      guard let members = Self.members[context] else { return nil }
      return .members({ members[$0] }, names: { members.keys.sorted() })
    }
  }
}

@Suite("Checking expressions")
struct ExpressionCheckerTests {
  static let types: [(String, String)] = [
    ("1", "int"), ("1.5", "number"), ("'a'", "string"), ("true", "bool"), ("null", "none"),
    ("results.fetch", Environment.release.asList),
    ("results.fetch[0].tag", "string"), ("results.fetch[0].draft", "bool"), ("results.fetch['0'].tag", "string"),
    ("results.fetch.*.tag", "[string]"),
    ("results.fetch.*.assets.*.size", "[int]"), ("results.fetch.*.assets", "[[{size: int}]]"),
    ("results.fetch.*.assets[0].size", "[int]"), ("results.latest.*", "[json]"),
    ("results.latest['TAG']", "string"), ("RESULTS.Fetch[params.limit].tag", "string"),
    ("results.any.what.ever[0]", "json"), ("results[params.feed]", "json"),
    ("results['my op']", "int"), ("release.tag", "string"), ("Release.tag", "string"), ("release[params.feed]", "json"),
    ("run.id", "json"), ("results", "json"),
    ("results.count || 0", "int"), ("results.count || 1.5", "number"), ("results.count || 'none'", "json"),
    ("results.count || null", "int"), ("null || null", "none"),
    ("params.flag && 'a' || 'b'", "string"), ("params.flag && 'a'", "json"), ("params.flag && true", "bool"),
    ("params.flag && 1 || params.flag && 2 || 3", "int"),
    ("!results.count", "bool"), ("1 < 2", "bool"), ("contains(params.feed, 'x')", "bool"),
    ("format('{0}', 1)", "string"), ("join(results.names)", "string"), ("toJSON(results)", "string"),
    ("fromJSON('1')", "json"), ("length(results.fetch)", "int"), ("keys(results.latest)", "[string]"),
    ("first(results.fetch).tag", "string"), ("last(results.any)", "json"),
    ("case(params.flag, 1, 2)", "int"), ("case(params.flag, 1, 'x')", "json"),
    ("case(params.flag, 1, params.flag, 2.5, null)", "number"), ("success()", "bool"), ("hashFiles('a')", "string"),
    ("(results.fetch.* || results.fetch.*).tag", "[string]"),
    ("(params.flag && results.fetch || results.fetch)[0].tag", "string"), ("results.quiet", "none"),
    ("1 + 2", "int"), ("1 - 2.5", "number"), ("4 / 2", "number"), ("params.limit % 2 * 3", "int"),
    ("params.rate * params.limit", "number"), ("results.any + 1", "json"), ("results.any / 2", "json"),
    ("[1, 2]", "[int]"), ("[1, 2.5]", "[number]"), ("[1, 'a']", "[json]"), ("[]", "[json]"), ("[1, null]", "[json]"),
    ("[release].*.tag", "[string]"), ("['a'][0]", "string"),
    ("formatDate(params.at, '%F')", "string"), ("formatDate(params.day, '%V', 'UTC')", "string"),
    ("addDuration(params.at, '1h')", "timestamp"), ("addDuration(params.at, params.pause)", "timestamp"),
    ("addDuration(params.day, '-7d')", "date"), ("addDuration(params.day, '1h')", "timestamp"),
    ("addDuration(params.day, params.pause)", "string"), ("addDuration(params.feed, '1d')", "string"),
  ]

  @Test("the type of a valid expression is inferred", arguments: types)
  func type(text: String, expected: String) throws {
    let found = ExpressionChecker.check(try Expression.parse(text), in: Environment())
    #expect(found.problems == [])
    #expect(found.type.description == expected)
  }

  static let problems: [(String, code: String, position: Int, length: Int, fix: String?)] = [
    ("result.fetch", "unknown-context", 1, 6, "did you mean 'results.fetch'?"),
    ("1 == parms.limit", "unknown-context", 6, 5, "did you mean 'params.limit'?"),
    ("toJSON(resuls)", "unknown-context", 8, 6, "did you mean 'results'?"),
    ("nothing.like.it", "unknown-context", 1, 7, nil),
    ("results.fetsh", "unknown-member", 9, 5, "did you mean 'results.fetch'?"),
    ("results['my po']", "unknown-member", 9, 7, "did you mean 'results[\"my op\"]'?"),
    ("results.zzzzzz[0].x", "unknown-member", 9, 6, nil),
    ("results.fetch[0].tga", "unknown-member", 18, 3, "did you mean 'results.fetch[0].tag'?"),
    ("results.fetch.*.tga", "unknown-member", 17, 3, "did you mean 'results.fetch.*.tag'?"),
    ("release.tags", "unknown-member", 9, 4, "did you mean 'release.tag'?"),
    ("results.latest.zzz", "unknown-member", 16, 3, "its members are tag, notes, draft, assets"),
    ("results.latest[0]", "unknown-member", 16, 1, "its members are tag, notes, draft, assets"),
    ("results.fetch.tag", "no-members", 15, 3, "did you mean 'results.fetch[0].tag' or 'results.fetch.*.tag'?"),
    ("results.fetch.length", "no-members", 15, 6, "use 'length(results.fetch)'"),
    ("params.feed.length", "no-members", 13, 6, "use 'length(params.feed)'"),
    ("results.count.x", "no-members", 15, 1, nil), ("results.count[params.limit]", "no-members", 15, 12, nil),
    ("results.quiet.x", "no-members", 15, 1, nil),
    ("params.feed.*", "no-members", 13, 1, nil), ("results.names.*.x", "no-members", 17, 1, nil),
    ("results.names.*.*", "no-members", 17, 1, nil), ("results.fetch[results.fetch]", "index-type", 15, 13, nil),
    ("params.limit == 'ten'", "never-equal", 1, 21, nil), ("'ten' != params.rate", "never-equal", 1, 20, nil),
    ("params.flag == 'true'", "never-equal", 1, 21, "write true without quotes"),
    ("params.limit < 'x'", "no-order", 1, 18, nil),
    ("params.pause > 30", "no-order", 1, 17, nil), ("params.at == 5", "never-equal", 1, 14, nil),
    (
      "1 == 1 && results.fetch == 3", "never-equal", 11, 18,
      "compare their members, their length(…), or toJSON(…) of both"
    ),
    ("results.latest == 'x'", "never-equal", 1, 21, "compare their members, their length(…), or toJSON(…) of both"),
    ("results.fetch > results.fetch", "no-order", 1, 29, "compare their members or their length(…)"),
    (
      "results.fetch == results.names", "never-equal", 1, 30,
      "compare their members, their length(…), or toJSON(…) of both"
    ),
    ("contains(results.latest, 'x')", "argument-type", 10, 14, "use keys(…) to search for a name"),
    ("contains('x', results.fetch)", "argument-type", 15, 13, nil),
    ("startsWith(results.fetch, 'x')", "argument-type", 12, 13, nil),
    ("format('{0} {1}', 1)", "format-string", 8, 9, "the first argument after the text is {0}"),
    ("format('{0}', results.fetch)", "argument-type", 15, 13, "use toJSON(results.fetch)"),
    ("join(results.latest)", "argument-type", 6, 14, nil),
    ("join(results.fetch, ' ')", "argument-type", 6, 13, "choose a member with '.*.name'"),
    ("join(results.names, results.names)", "argument-type", 21, 13, nil), ("fromJSON('{')", "invalid-json", 10, 3, nil),
    ("fromJSON(results.fetch)", "argument-type", 10, 13, "the value needs no conversion"),
    ("length(params.limit)", "argument-type", 8, 12, nil), ("keys(results.fetch)", "argument-type", 6, 13, nil),
    ("first(params.feed)", "argument-type", 7, 11, nil),
    ("case(params.feed, 1, 2)", "argument-type", 6, 11, "compare it, as in 'params.feed != null'"),
    ("hashFiles(results.fetch)", "argument-type", 11, 13, nil),
    ("params.feed + 'x'", "argument-type", 1, 11, "texts are joined with format('{0}{1}', params.feed, 'x')"),
    ("params.limit + 'x'", "argument-type", 16, 3, "texts are joined with format('{0}{1}', …)"),
    ("params.limit * params.flag", "argument-type", 16, 11, nil),
    ("params.at + 5", "argument-type", 1, 9, "use addDuration(…)"),
    ("results.names - 1", "argument-type", 1, 13, "its length is length(…)"),
    ("params.limit / 0", "division-by-zero", 1, 16, nil), ("params.limit % 0.0", "division-by-zero", 1, 18, nil),
    ("results.count-1", "unknown-member", 9, 7, "to subtract, write 'results.count - 1', with spaces"),
    ("release.tag-release", "unknown-member", 9, 11, "to subtract, write 'release.tag - release', with spaces"),
    ("release-1", "unknown-context", 1, 9, "to subtract, write 'release - 1', with spaces"),
    ("[1] == [1]", "never-equal", 1, 10, "compare their members, their length(…), or toJSON(…) of both"),
    ("params.day == 5", "never-equal", 1, 15, nil),
    ("formatDate(params.limit, '%F')", "argument-type", 12, 12, nil),
    ("formatDate('2026-02-30', '%F')", "argument-type", 12, 12, "write it like 2026-11-01T03:00:00Z or 2026-11-01"),
    (
      "formatDate(params.at, 'it''s %Q')", "format-string", 30, 2,
      "there are %Y %m %d %H %M %S %F %T %j %G %V %u %a %b %s %z %Z %%"
    ),
    ("formatDate(params.at, '%F', params.limit)", "argument-type", 29, 12, nil),
    ("formatDate(params.at, '%F', '../x')", "argument-type", 29, 6, nil),
    ("addDuration(params.at, '1 day')", "argument-type", 24, 7, "write it like 1d12h or -7d"),
    ("addDuration(params.at, 5)", "argument-type", 24, 1, nil),
    ("'\u{1F600}' == results.fetsh", "unknown-member", 16, 5, "did you mean 'results.fetch'?"),
  ]

  @Test("a mistake is reported with its position and fix", arguments: problems)
  func problem(text: String, code: String, position: Int, length: Int, fix: String?) throws {
    let found = ExpressionChecker.check(try Expression.parse(text), in: Environment()).problems
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.code == code && found.first?.position == position && found.first?.length == length, "\(found)")
    #expect(found.first?.fix == fix)
  }

  @Test(
    "comparisons that make sense under GitHub's coercion rules are accepted",
    arguments: [
      "params.limit == '10'", "params.limit == ''", "params.flag == 1", "params.feed == 3", "results.count == null",
      "results.fetch != null", "results.any == 'x'", "params.space > 100",
      "params.pause == '30s'", "params.feed < 'b'", "results.fetch == results.fetch", "params.path == params.feed",
      "results.any > results.fetch", "params.limit == params.rate",
    ])
  func sensible(text: String) throws {
    #expect(ExpressionChecker.check(try Expression.parse(text), in: Environment()).problems == [])
  }

  @Test("all mistakes are reported at once, in the order of the text")
  func several() throws {
    let found = ExpressionChecker.check(
      try Expression.parse("resuls.a && results.fetsh.x && length(1) && params.limit == 'x'"), in: Environment())
    #expect(found.problems.map(\.code) == ["unknown-context", "unknown-member", "argument-type", "never-equal"])
  }

  @Test("a template is a string unless it is a single expression, and positions refer to its text")
  func templates() throws {
    #expect(ExpressionChecker.check(try Template.parse("${{ results.count }}"), in: Environment()).type == .int)
    #expect(ExpressionChecker.check(try Template.parse("x"), in: Environment()).type == .string)
    let found = ExpressionChecker.check(try Template.parse("é ${{ 1 }} ${{ results.fetsh }}"), in: Environment())
    #expect(found.type == .string)
    #expect(found.problems.map(\.position) == [24])
  }

  @Test("deep expressions are checked quickly")
  func depth() throws {
    var text = "params.flag"
    for _ in 0..<24 { text = "(params.flag && (\(text) || params.flag))" }
    #expect(ExpressionChecker.check(try Expression.parse(text), in: Environment()).type == .bool)
  }
}

extension ValueType {
  fileprivate var asList: String { "[\(self)]" }
}
