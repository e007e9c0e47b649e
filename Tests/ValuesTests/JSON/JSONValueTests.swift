import OperationsTesting
import Testing

@testable import Values

@Suite("JSON values")
struct JSONValueTests {
  static let texts: [(String, JSONValue)] = [
    ("null", .null), ("true", true), (" false ", false), ("0", 0), ("-0", .double(-0.0)), ("-1", -1),
    ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
    ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("1.0", .double(1)), ("1e2", .double(100)),
    ("1E-2", .double(0.01)), ("0.1", .double(0.1)), ("123456789.987654321", .double(123456789.987654321)),
    ("\"\"", ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\uD83D\uDE00""#, "é\u{1F600}"),
    ("\"é\u{1F600}\"", "é\u{1F600}"), ("[]", []), ("[ ]", []), ("[1,[2,\n\t3]]", [1, [2, 3]]),
    ("{}", [:]), (#"{"b":1,"a":{"c":[null]}}"#, ["b": 1, "a": ["c": [.null]]]),
    (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2]), (#"{"":0}"#, ["": 0]),
    ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("1e-400", .double(0)),
    ("0.30000000000000004", .double(0.30000000000000004)),
    ("\"\u{0000}\"".replacing("\u{0000}", with: "\\u0000"), "\u{0}"),
  ]

  @Test("a JSON text parses to its value", arguments: texts)
  func parse(text: String, expected: JSONValue) throws {
    #expect(try JSONValue.parse(text) == expected)
    #expect(try JSONValue.parse(Array(text.utf8)) == expected)
    #expect(try JSONValue.parse(text.utf8.reversed().reversed().dropFirst(0)) == expected)
  }

  static let failures: [(String, Int)] = [
    ("", 0), (" ", 1), ("nul", 0), ("nulL", 0), ("tru", 0), ("True", 0), ("1 2", 2), ("01", 0), ("-01", 1), ("-", 1),
    ("+1", 0), (".5", 0), ("5.", 2), ("1e", 2), ("1e+", 3), ("0x1", 1), ("1e400", 0), ("NaN", 0),
    ("'a'", 0), ("\"a", 0), ("\"a\n\"", 2), ("\"\\x\"", 1), ("\"\\u12\"", 5), ("\"\\u12g4\"", 5), ("\"\\ud800\"", 1),
    ("\"\\ud800\\u0041\"", 1), ("\"\\udc00\"", 1), ("\"\\", 2), ("[", 1), ("[1", 2), ("[1,]", 3),
    ("[,1]", 1), ("[1 2]", 3), ("[1}", 2), ("{", 1), ("{a:1}", 1), (#"{"a"}"#, 4), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7),
    (#"{"a":1 "b":2}"#, 7), ("{1:2}", 1), ("// c\n1", 0), ("\u{FEFF}1", 0), ("1\u{0}", 1), ("]", 0),
  ]

  @Test("text that is not JSON is rejected with its position", arguments: failures)
  func failure(text: String, offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue.parse(text) }
    #expect(error?.offset == offset, "\(String(describing: error))")
  }

  @Test(
    "invalid UTF-8 is rejected",
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22],
      [0x22, 0x5C, 0x6E, 0xFF, 0x22], [0xFF],
    ] as [[UInt8]])
  func encoding(bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
  }

  @Test("512 levels of nesting are accepted, more are rejected")
  func depth() throws {
    func nested(_ count: Int) -> String { String(repeating: "[", count: count) + String(repeating: "]", count: count) }
    let deep = try JSONValue.parse(nested(512))
    #expect(deep.text == nested(512))
    #expect(throws: JSONError.self) { try JSONValue.parse(nested(513)) }
    #expect(throws: JSONError.self) { try JSONValue.parse(String(repeating: "[{\"a\":", count: 100_000)) }
  }

  static let doubles: [(Double, String)] = [
    (0, "0"), (-0.0, "-0"), (1, "1"), (-2, "-2"), (0.1, "0.1"), (0.1 + 0.2, "0.30000000000000004"),
    (999_999_999_999_999, "999999999999999"), (1e15, "1000000000000000"), (1e16, "1e+16"), (1e20, "1e+20"),
    (1e-7, "1e-07"),
    (1.5e300, "1.5e+300"), (.leastNonzeroMagnitude, "5e-324"), (.nan, "NaN"), (.infinity, "Infinity"),
    (-.infinity, "-Infinity"), (123456.789, "123456.789"),
  ]

  @Test("a double is written as the shortest text that reads back the same", arguments: doubles)
  func double(value: Double, expected: String) throws {
    #expect(JSONValue.double(value).text == expected)
    if value.isFinite { #expect(try JSONValue.parse(expected).doubleValue == value) }
  }

  @Test("random doubles read back the same")
  func roundTrip() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      #expect(try JSONValue.parse(JSONValue.double(value).text).doubleValue == value)
      let short = Double(Int.random(in: -99_999_999...99_999_999, using: &random)) / 1000
      #expect(try JSONValue.parse(JSONValue.double(short).text).doubleValue == short)
    }
  }

  @Test(
    "a value that is written exactly reads back as equal, including whole doubles",
    arguments: [
      (.double(0), "0.0"), (.double(-0.0), "-0.0"), (.double(3), "3.0"), (.double(1e15), "1000000000000000.0"),
      (.double(1e16), "1e+16"), (.int(3), "3"),
      (.double(.leastNonzeroMagnitude), "5e-324"), ([.double(1), ["a": .double(2)]], #"[1.0,{"a":2.0}]"#),
      (.int(.max), "9223372036854775807"),
    ] as [(JSONValue, String)])
  func exact(value: JSONValue, text: String) throws {
    var bytes: [UInt8] = []
    value.writeExactly(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == text)
    let again = try JSONValue.parse(bytes)
    #expect(again == value)
    if case .double(let double) = value, case .double(let other) = again { #expect(double.sign == other.sign) }
  }

  @Test(
    "numbers that JSON cannot represent are written exactly as null", arguments: [Double.nan, .infinity, -.infinity])
  func exactWithoutNumber(value: Double) {
    var bytes: [UInt8] = []
    JSONValue.array([.double(value)]).writeExactly(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "[null]")
  }

  @Test("a written value reads back the same")
  func writing() throws {
    let value: JSONValue = ["b": [1, 2.5, .null, true, "é\u{1F600}\"\\\n\u{1}/"], "a": [:], "": [], "n": .int(.min)]
    #expect(
      value.text
        == "{\"b\":[1,2.5,null,true,\"é\u{1F600}\\\"\\\\\\n\\u0001/\"],\"a\":{},\"\":[],\"n\":-9223372036854775808}")
    #expect(try JSONValue.parse(value.text) == value)
    #expect(try JSONValue.parse(value.pretty()) == value)
    #expect(
      (["a": [1, ["b": .null]], "c": [], "d": [:]] as JSONValue).pretty()
        == "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": [],\n  \"d\": {}\n}")
    #expect(("x" as JSONValue).pretty() == "\"x\"")
  }

  @Test("every character is escaped or kept, at any position in a text of any length", arguments: 0..<20)
  func escapes(length: Int) throws {
    let others: [Unicode.Scalar] = ["é", "\u{20AC}", "\u{1F600}", "\u{80}", "\u{7F}"]
    for scalar in (0..<0x80).map({ Unicode.Scalar(UInt8($0)) }) + others {
      let escaped =
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\u{8}": "\\b"
        case "\t": "\\t"
        case "\n": "\\n"
        case "\u{C}": "\\f"
        case "\r": "\\r"
        case "\u{0}"..."\u{F}": "\\u000\(String(scalar.value, radix: 16))"
        case "\u{10}"..<" ": "\\u00\(String(scalar.value, radix: 16))"
        default: String(Character(scalar))
        }
      for place in 0...length {
        // Neighbours must not be confused with it: a letter, a two-byte character, and the first character that needs no escape.
        for filler in ["a", "ü", " "] {
          let (before, after) = (
            String(repeating: filler, count: place), String(repeating: filler, count: length - place)
          )
          let value = JSONValue.string(before + String(Character(scalar)) + after)
          #expect(value.text == "\"\(before)\(escaped)\(after)\"")
          #expect(try JSONValue.parse(value.text) == value)
        }
      }
    }
  }

  @Test("members and elements are accessed without failing")
  func access() {
    let value: JSONValue = ["a": [1, "x"], "b": true, "c": 2.0, "d": 2.5]
    #expect(value["a"]?[1]?.stringValue == "x")
    #expect(value["a"]?[0]?.intValue == 1)
    #expect(value["c"]?.intValue == 2 && value["d"]?.intValue == nil && value["d"]?.doubleValue == 2.5)
    #expect(value["b"]?.boolValue == true)
    #expect(
      value["z"] == nil && value[0] == nil && value["a"]?[2] == nil && value["a"]?[-1] == nil && value["a"]?["x"] == nil
    )
    #expect(value.objectValue?.count == 4 && value["a"]?.arrayValue?.count == 2)
    #expect(value.isNull == false && JSONValue.null.isNull)
    #expect(
      [JSONValue.null, true, 1, 1.5, "", [], [:]].map(\.kind) == [
        "null", "bool", "int", "number", "string", "list", "object",
      ])
  }
}
