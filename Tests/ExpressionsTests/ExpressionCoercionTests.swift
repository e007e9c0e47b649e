import Testing
import Values

@testable import Expressions

@Suite("Coercion in expressions")
struct ExpressionCoercionTests {
  /// The left operand, the right operand, and the results of `== < >`, from which those of `<= >=` follow.
  static let comparisons: [(String, String, equal: Bool, less: Bool, greater: Bool)] = [
    ("null", "null", true, false, false), ("null", "0", true, false, false), ("null", "''", true, false, false),
    ("null", "false", true, false, false), ("null", "'0'", true, false, false), ("null", "1", false, true, false),
    ("null", "'x'", false, false, false), ("true", "1", true, false, false), ("true", "'1'", true, false, false),
    ("true", "'true'", false, false, false), ("false", "''", true, false, false), ("false", "' '", true, false, false),
    ("true", "false", false, false, true), ("true", "2", false, true, false), ("1", "'1'", true, false, false),
    ("1", "' 1 '", true, false, false), ("1", "'1.0'", true, false, false), ("255", "'0xff'", true, false, false),
    ("8", "'0o10'", true, false, false), ("1000", "'1e3'", true, false, false), ("1", "'one'", false, false, false),
    ("1", "'2'", false, true, false), ("0", "''", true, false, false), ("0", "'\u{A0}\t\n'", true, false, false),
    ("NaN", "NaN", false, false, false), ("NaN", "1", false, false, false), ("NaN", "'NaN'", false, false, false),
    ("Infinity", "'Infinity'", true, false, false), ("Infinity", "'infinity'", true, false, false),
    ("-Infinity", "'-Infinity'", true, false, false), ("Infinity", "1e308", false, false, true),
    ("-0", "0", true, false, false),
    ("1", "1.0", true, false, false), ("9007199254740993", "9007199254740992", true, false, false),
    ("'a'", "'A'", true, false, false),
    ("'a'", "'B'", false, true, false), ("'B'", "'a'", false, false, true), ("'10'", "'9'", false, true, false),
    ("'Z'", "'_'", false, true, false), ("'z'", "'_'", false, true, false), ("'ä'", "'Ä'", true, false, false),
    ("'ß'", "'SS'", false, false, true), ("'straße'", "'STRASSE'", false, false, true),
    ("'ı'", "'I'", false, false, true),
    ("'ſ'", "'S'", false, false, true), ("'µ'", "'Μ'", true, false, false), ("'e\u{301}'", "'é'", false, true, false),
    ("'\u{1F600}'", "'\u{FFFD}'", false, true, false), ("'\u{10428}'", "'\u{10400}'", true, false, false),
    ("'a'", "'ab'", false, true, false), ("''", "'a'", false, true, false),
    ("fromJSON('[]')", "fromJSON('[]')", false, false, false),
    ("fromJSON('[1]')", "1", false, false, false), ("fromJSON('[]')", "''", false, false, false),
    ("fromJSON('{}')", "null", false, false, false), ("fromJSON('{}')", "fromJSON('[]')", false, false, false),
    ("x.list", "x.list", true, false, false),
    ("x.list", "X['LIST']", true, false, false), ("x.list", "x.same", false, false, false),
    ("x", "x", true, false, false),
    ("x.nested[0]", "x.nested['0']", true, false, false), ("x.list.*", "x.list.*", false, false, false),
  ]

  @Test("comparisons follow GitHub's table", arguments: comparisons)
  func comparison(left: String, right: String, equal: Bool, less: Bool, greater: Bool) throws {
    let contexts = ObjectContexts(["x": ["list": [1], "same": [1], "nested": [[:]]]])
    let outcomes: [(String, Bool)] = [
      ("==", equal), ("!=", !equal), ("<", less), (">", greater), ("<=", less || equal), (">=", greater || equal),
    ]
    for (symbol, expected) in outcomes {
      #expect(
        try Expression.parse("\(left) \(symbol) \(right)").evaluate(in: contexts) == .bool(expected),
        "\(left) \(symbol) \(right)")
    }
    #expect(try Expression.parse("\(right) > \(left)").evaluate(in: contexts) == .bool(less))
    #expect(try Expression.parse("\(right) == \(left)").evaluate(in: contexts) == .bool(equal))
  }

  static let numbers: [(Double, String)] = [
    (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (0.1, "0.1"), (0.1 + 0.2, "0.3"), (1.0 / 3, "0.333333333333333"),
    (2.0 / 3, "0.666666666666667"), (100, "100"), (1e14, "100000000000000"), (999_999_999_999_999, "999999999999999"),
    (1e15, "1E+15"), (1e20, "1E+20"), (-1e20, "-1E+20"), (123_456_789_012_345_680, "1.23456789012346E+17"),
    (1_234_567_890_123_456_768, "1.23456789012346E+18"), (999_999_999_999_999.9, "1E+15"), (0.0001, "0.0001"),
    (0.00012345, "0.00012345"),
    (0.00001, "1E-05"), (0.000012345, "1.2345E-05"), (1e-10, "1E-10"), (1e-100, "1E-100"), (1e100, "1E+100"),
    (.leastNonzeroMagnitude, "4.94065645841247E-324"),
    (1.7976931348623157e308, "1.79769313486232E+308"), (3.14159265358979, "3.14159265358979"),
    (.pi, "3.14159265358979"),
    (123.456, "123.456"), (-123.456, "-123.456"), (1.5, "1.5"), (9_007_199_254_740_991, "9.00719925474099E+15"),
    (100_000_000_000_000.5, "100000000000000"), (100_000_000_000_001.5, "100000000000002"), (.nan, "NaN"),
    (.infinity, "Infinity"),
    (-.infinity, "-Infinity"), (0.30000000000000004, "0.3"), (99.99999999999999, "100"),
    (12345.678901234567, "12345.6789012346"),
  ]

  @Test("a number is converted to text with 15 significant digits", arguments: numbers)
  func numberText(number: Double, expected: String) {
    #expect(JSONValue.double(number).coercedString == expected)
    if let whole = Int64(exactly: number) { #expect(JSONValue.int(whole).coercedString == expected) }
  }

  static let texts: [(String, Double)] = [
    ("", 0), ("  ", 0), ("1", 1), ("+1", 1), ("-1", -1), (" 1.5\n", 1.5), (".5", 0.5), ("5.", 5), ("1e2", 100),
    ("1E-2", 0.01), ("0x1F", 31),
    ("0o17", 15), ("0x80000000", -2_147_483_648), ("0x0000000000ff", 255), ("037777777777", 37_777_777_777),
    ("0o37777777777", -1),
    ("Infinity", .infinity), ("-INFINITY", -.infinity), ("+Infinity", .infinity), ("1e999", .infinity),
    ("-1e999", -.infinity),
    ("1e-999", 0), ("1e99999999999999999999", .infinity), ("\u{3000}7\u{2028}", 7),
    ("9007199254740993", 9_007_199_254_740_992),
    ("123456789012345678901234567890", 1.2345678901234568e29), ("0.1e1", 1), ("00012", 12),
    ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown),
  ]

  @Test("text is converted to the number it spells", arguments: texts)
  func textNumber(text: String, expected: Double) {
    #expect(JSONValue.string(text).coercedNumber == expected)
  }

  @Test(
    "text that does not spell a number is NaN",
    arguments: [
      "x", "1x", "1 2", "1,000", "--1", "+", "-", ".", "e5", "1e", "1e+", "0x", "0xg", "0X1F", "0b1", "0o", "0o8",
      "-0x1", "0x100000000", "0o40000000000",
      "NaN", "Inf", "1.2.3", "(1)", "$1", "٣", "true",
    ])
  func noNumber(text: String) {
    #expect(JSONValue.string(text).coercedNumber.isNaN)
  }

  @Test("all other values are converted to text and numbers as in GitHub Actions")
  func others() {
    #expect(JSONValue.null.coercedString == "")
    #expect(JSONValue.bool(true).coercedString == "true")
    #expect(JSONValue.array([1]).coercedString == "Array")
    #expect(JSONValue.object([:]).coercedString == "Object")
    #expect(JSONValue.null.coercedNumber == 0)
    #expect(JSONValue.bool(true).coercedNumber == 1)
    #expect(JSONValue.array([]).coercedNumber.isNaN)
    #expect(JSONValue.object([:]).coercedNumber.isNaN)
    #expect(JSONValue.int(.min).coercedString == "-9.22337203685478E+18")
  }
}
