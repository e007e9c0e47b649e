import PipelineLanguage
import Testing
import Values

@Suite("The YAML 1.2 core schema")
struct YAMLCoreSchemaTests {
  @Test(
    "plain scalars have their core schema values",
    arguments: [
      ("", .null), ("~", .null), ("null", .null), ("Null", .null), ("NULL", .null), ("nUll", .string("nUll")),
      ("true", .bool(true)), ("True", .bool(true)), ("TRUE", .bool(true)), ("tRUE", .string("tRUE")),
      ("false", .bool(false)), ("False", .bool(false)), ("FALSE", .bool(false)),
      ("yes", .string("yes")), ("no", .string("no")), ("on", .string("on")), ("Off", .string("Off")),
      ("y", .string("y")), ("0", .int(0)), ("-0", .int(0)), ("12", .int(12)), ("+12", .int(12)), ("-7", .int(-7)),
      ("010", .int(10)), ("0o17", .int(15)), ("0x1F", .int(31)), ("0xff", .int(255)), ("0o8", .string("0o8")),
      ("0xg", .string("0xg")), ("0x", .string("0x")), ("-0x1F", .string("-0x1F")), ("1_000", .string("1_000")),
      ("12:30", .string("12:30")), ("0b1", .string("0b1")), ("+", .string("+")), ("-", .string("-")),
      ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
      ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("0x8000000000000000", .double(0x1p63)),
      ("0o1000000000000000000000", .double(0x1p63)), ("0x7FFFFFFFFFFFFFFF", .int(.max)),
      ("1.5", .double(1.5)), ("-.5", .double(-0.5)), ("1.", .double(1)), ("1e3", .double(1000)),
      ("1.5E-3", .double(0.0015)), (".", .string(".")), ("1e", .string("1e")), ("1e+", .string("1e+")),
      (".e1", .string(".e1")), ("1.2.3", .string("1.2.3")), ("1 2", .string("1 2")),
      ("2024-01-02", .string("2024-01-02")),
      (".inf", .double(.infinity)), ("+.Inf", .double(.infinity)), ("-.INF", .double(-.infinity)),
      (".iNF", .string(".iNF")), ("inf", .string("inf")), ("nan", .string("nan")), (".info", .string(".info")),
      ("+.nan", .string("+.nan")),
    ] as [(String, JSONValue)]
  )
  func plain(text: String, value: JSONValue) {
    #expect(readYAML("[\(text.isEmpty ? "a: " : text)]").root?.items?.first?.meaning == value)
  }

  @Test(".nan is not a number", arguments: [".nan", ".NaN", ".NAN"])
  func notANumber(text: String) {
    guard case .double(let number) = readYAML("a: \(text)").root?["a"]?.coreScalar else {
      Issue.record("not a double")
      return
    }
    #expect(number.isNaN)
  }

  @Test("quoted and block scalars are strings", arguments: ["'1'", "\"true\"", "|-\n  null", ">-\n  0x1F"])
  func strings(text: String) {
    guard case .string = readYAML("a: \(text)").root?["a"]?.coreScalar else {
      Issue.record("not a string")
      return
    }
  }

  @Test(
    "core tags determine the value of a scalar",
    arguments: [
      ("!!str 1", .string("1")), ("!!str", .string("")), ("!!int '12'", .int(12)), ("!!float 1", .double(1)),
      ("!!float '1.5'", .double(1.5)), ("!!bool \"true\"", .bool(true)), ("!!null ''", .null), ("! 12", .string("12")),
      ("!!int 9223372036854775808", .double(0x1p63)), ("!<tag:yaml.org,2002:str> 1", .string("1")),
    ] as [(String, JSONValue)]
  )
  func tags(text: String, value: JSONValue) {
    let (root, diagnostics) = readYAML("a: \(text)")
    #expect(diagnostics == [])
    #expect(root?["a"]?.coreScalar == value)
  }

  @Test("a tree becomes a JSON value with its members in order")
  func tree() {
    let root = readYAML("b: [1, two, null]\na: {x: 1.5, 'y': !!seq [], 3: !!map {}}\n").root
    #expect(
      root?.jsonValue()
        == .object([
          "b": .array([.int(1), .string("two"), .null]),
          "a": .object(["x": .double(1.5), "y": .array([]), "3": .object([:])]),
        ])
    )
    #expect(root?.coreScalar == nil)
    #expect(root?["b"]?.text == nil)
    #expect(root?["c"] == nil)
  }
}

extension YAMLNode {
  /// The value of a scalar, or of the only entry of a mapping.
  fileprivate var meaning: JSONValue? { entries?.first?.value.coreScalar ?? coreScalar }
}
