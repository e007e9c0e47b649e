import Testing

@testable import Values

@Suite("Types")
struct ValueTypeTests {
  @Test(
    "the notation reads back as it is written",
    arguments: [
      "string", "int", "number", "bool", "duration", "size", "timestamp", "date", "json", "none", "file", "[string]",
      "[[int]]",
      "{}", "{tag: string}", "[{tag: string, draft?: bool}]", "{a: {b: [json]}, c-d_1?: none}",
      "{\"a b\": int}",
    ])
  func roundTrip(text: String) throws {
    #expect(try ValueType.parse(text).description == text)
  }

  static let spellings: [(String, String)] = [
    ("  int\n", "int"), ("[ int ]", "[int]"), ("{ a:int,b ? : string, }", "{a: int, b?: string}"),
    ("{'a b': int, \"c\\\"\"?: int}", "{\"a b\": int, \"c\\\"\"?: int}"),
  ]

  @Test("spaces, quotes and a trailing comma do not matter", arguments: spellings)
  func spelling(text: String, expected: String) throws {
    #expect(try ValueType.parse(text).description == expected)
  }

  static let failures: [(String, Int, String)] = [
    ("", 0, "expected a type"), ("strng", 0, "did you mean 'string'?"), ("integer", 0, "did you mean 'int'?"),
    ("Boolean", 0, "did you mean 'bool'?"), ("xyzzy", 0, "a type is one of"), ("[int", 4, "expected ']'"),
    ("[int]]", 5, "after the type"), ("int string", 4, "after the type"), ("{a}", 2, "expected ':'"),
    ("{a: int", 7, "expected ',' or '}'"), ("{a: int b: int}", 8, "expected ','"), ("{a: int, a?: int}", 9, "twice"),
    ("{: int}", 1, "the name of a field"),
    ("{'a: int}", 1, "not closed"), ("[]", 1, "expected a type"), ("é", 0, "expected a type"),
  ]

  @Test("an error in the notation is reported with its position and a fix", arguments: failures)
  func failure(text: String, offset: Int, says: String) {
    let error = #expect(throws: TypeNotationError.self) { try ValueType.parse(text) }
    #expect(error?.offset == offset)
    let sentence = "\(error?.message ?? "") \(error?.fix ?? "")"
    #expect(sentence.contains(says), "\(String(describing: error))")
  }

  @Test("nesting is limited")
  func depth() throws {
    func nested(_ count: Int) -> String {
      String(repeating: "[", count: count) + "int" + String(repeating: "]", count: count)
    }
    _ = try ValueType.parse(nested(63))
    #expect(throws: TypeNotationError.self) { try ValueType.parse(nested(64)) }
    #expect(throws: TypeNotationError.self) { try ValueType.parse(String(repeating: "{a: [", count: 50_000)) }
  }

  static let matches: [(String, JSONValue)] = [
    ("string", ""), ("int", 3), ("int", 3.0), ("number", 3), ("number", 3.5), ("bool", false), ("duration", "1h30m"),
    ("duration", 0), ("size", "16MiB"), ("size", 512), ("timestamp", "2026-03-29T02:30:00Z"),
    ("date", "2026-03-29"), ("file", "a/b"),
    ("none", .null),
    ("json", .null), ("json", [1]), ("[int]", []), ("[int]", [1, 2]), ("{a: int, b?: string}", ["a": 1]),
    ("{a: int, b?: string}", ["a": 1, "b": .null, "c": true]), ("{a: json}", ["a": .null]), ("{a: none}", [:]),
    ("{}", ["x": 1]),
  ]

  @Test("a value of the type is accepted", arguments: matches)
  func match(type: String, value: JSONValue) throws {
    #expect(try ValueType.parse(type).mismatch(of: value) == nil)
  }

  static let mismatches: [(String, JSONValue, String)] = [
    ("string", 1, "expected string, found int 1"), ("int", 1.5, "expected int, found number 1.5"),
    ("int", "twelve", #"expected int, found string "twelve""#),
    ("int", .double(1e300), "expected int, found number 1e+300"),
    ("bool", "true", #"expected bool, found string "true""#),
    ("number", .null, "expected number, found null"),
    ("duration", "1 hour", #"expected duration, found string "1 hour""#),
    ("duration", 5, "expected duration, found int 5"), ("size", -1, "expected size, found int -1"),
    ("date", "2026-02-30", #"expected date, found string "2026-02-30""#),
    ("date", "2026-03-29T00:00:00Z", #"expected date, found string "2026-03-29T00:00:00Z""#),
    ("timestamp", "2026-02-30T00:00:00Z", #"expected timestamp, found string "2026-02-30T00:00:00Z""#),
    ("file", "", #"expected file, found string """#), ("none", false, "expected none, found bool false"),
    ("[int]", [:], "expected [int], found object"),
    ("[int]", [1, 2, "x"], #"[2]: expected int, found string "x""#),
    ("[{tag: string}]", [["tag": "a"], ["tag": 1]], "[1].tag: expected string, found int 1"),
    ("{a: int}", [:], ".a: expected int, found nothing"), ("{a: int}", ["a": .null], ".a: expected int, found null"),
    ("{a?: int}", ["a": "x"], #".a: expected int, found string "x""#),
    ("{\"a b\": {c: int}}", ["a b": ["c": []]], #"["a b"].c: expected int, found list"#),
    (
      "int", .string(String(repeating: "ä", count: 50)),
      "expected int, found string \"" + String(repeating: "ä", count: 40) + "…\""
    ), ("{a: int}", [1], "expected {a: int}, found list"),
  ]

  @Test("the first mismatch is reported with its path", arguments: mismatches)
  func mismatch(type: String, value: JSONValue, expected: String) throws {
    #expect(try ValueType.parse(type).mismatch(of: value)?.description == expected)
  }

  static let acceptances: [(String, String, Acceptance)] = [
    ("int", "int", .yes), ("number", "int", .yes), ("int", "number", .no(reason: "expected int, found number")),
    ("json", "[int]", .yes), ("json", "none", .yes), ("int", "json", .unknown), ("string", "duration", .yes),
    ("string", "file", .yes),
    ("duration", "string", .unknown), ("size", "int", .unknown),
    ("duration", "int", .no(reason: "expected duration, found int")),
    ("string", "int", .no(reason: "expected string, found int")),
    ("int", "none", .no(reason: "expected int, found none")),
    ("[int]", "[int]", .yes), ("[number]", "[int]", .yes),
    ("[int]", "[string]", .no(reason: "[]: expected int, found string")), ("[int]", "[json]", .unknown),
    ("[int]", "int", .no(reason: "expected [int], found int")),
    ("{a: int}", "{a: int, b: string}", .yes), ("{a: int}", "{b: int}", .no(reason: ".a: expected int, found nothing")),
    ("{a?: int}", "{}", .yes), ("{a: int}", "{a?: int}", .no(reason: ".a: expected int, which may be missing")),
    ("{a?: int}", "{a: int}", .yes),
    ("[{tag: string}]", "[{tag: int}]", .no(reason: "[].tag: expected string, found int")),
    ("{a: int, b: int}", "{a: json, b: int}", .unknown),
    ("{a: int, b: int}", "{a: json, b: string}", .no(reason: ".b: expected int, found string")), ("none", "none", .yes),
  ]

  @Test("whether one type can be used for another is known before anything runs", arguments: acceptances)
  func acceptance(required: String, given: String, expected: Acceptance) throws {
    #expect(try ValueType.parse(required).accepts(ValueType.parse(given)) == expected)
  }

  @Test("members of objects have types")
  func members() throws {
    let type = try ValueType.parse("{a: int, b?: [string]}")
    #expect(type.member("a") == .int && type.member("b") == .list(.string) && type.member("c") == nil)
    #expect(ValueType.json.member("x") == .json && ValueType.int.member("x") == nil)
    #expect(ValueType.names.count == 11 && ValueType(name: "int") == .int && ValueType(name: "[int]") == nil)
  }
}
