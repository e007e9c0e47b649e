import Testing
import Values

@testable import Expressions

@Suite("Arithmetic and lists in expressions")
struct ExpressionArithmeticTests {
  private static let contexts = ObjectContexts([
    "results": [
      "count": 7, "half": 0.5, "text": "12", "my-op": 3, "big": 9_223_372_036_854_775_807, "list": [1, 2, 3],
    ],
    "small": -9_223_372_036_854_775_808, "item": 2,
  ])

  static let values: [(String, String)] = [
    ("1 + 2", "3"), ("7 - 10", "-3"), ("2 * 3", "6"), ("7 / 2", "3.5"), ("6 / 2", "3"), ("7 % 3", "1"),
    ("-7 % 3", "-1"), ("7.5 % 2", "1.5"), ("1 + 0.5", "1.5"), ("0.1 + 0.2", "0.30000000000000004"),
    // `* / %` bind more tightly than `+ -`, both more tightly than comparisons, and all are left-associative.
    ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("10 - 3 - 2", "5"), ("24 / 4 / 2", "3"), ("7 % 4 * 2", "6"),
    ("1 + 1 == 2", "true"), ("2 < 1 + 2 && 3 > 1", "true"), ("1 + 2 > 2 == true", "true"), ("10 - 2 * 3 % 4", "8"),
    // A minus in a name or a number belongs to it.
    ("results.my-op - 1", "2"), ("results.my-op - -1", "4"), ("1 - -2", "3"), ("item\t+\nitem", "4"),
    ("results.count -\u{A0}1", "6"), ("results.* * 0", "error argument-type"),
    // Whole numbers are exact up to 64 bits.
    ("results.big - 1", "9223372036854775806"), ("results.big + 1", "error number-too-large"),
    ("small - 1", "error number-too-large"), ("results.big * 2", "error number-too-large"),
    ("small % -1", "0"), ("small / -1 == 9223372036854775808", "true"),
    ("results.big + 0.5 == 9223372036854775808", "true"),
    ("1e308 * 10", "error number-too-large"), ("Infinity - Infinity", "error number-too-large"),
    ("NaN + 1", "error number-too-large"),
    ("1 / 0", "error division-by-zero"), ("1 % 0", "error division-by-zero"), ("0.0 / 0.0", "error division-by-zero"),
    ("1 / -0", "error division-by-zero"),
    ("results.text + 1", "error argument-type"), ("results.absent + 1", "error argument-type"),
    ("(results.absent || 0) + 1", "1"), ("true + 1", "error argument-type"),
    ("results.list + 1", "error argument-type"),
    ("[]", "[]"), ("[1, 'a', null]", #"[1,"a",null]"#), ("[ [1 + 1], [] ]", "[[2],[]]"), ("[1, 2, 3][1]", "2"),
    ("[1, 2][5]", "null"), ("results.list[length(results.list) - 1]", "3"), ("results.list[[1][0]]", "2"),
    ("contains(['a', 'b'], 'B')", "true"), ("join([1, results.count], '-')", #""1-7""#), ("length([])", "0"),
    ("[results.list.*][0]", "[1,2,3]"), ("[1] == [1]", "false"), ("last([1, 2]) * 2", "4"), ("[] && true", "true"),
    ("[results, results].*.count", "[7,7]"),
  ]

  @Test("an expression evaluates to its value or fails with its error", arguments: values)
  func value(text: String, expected: String) throws {
    let expression = try Expression.parse(text)
    do throws(ExpressionError) {
      #expect(try expression.evaluate(in: Self.contexts).text == expected)
    } catch {
      #expect("error \(error.code)" == expected, "\(error)")
      #expect(error.position > 0)
    }
  }

  @Test("an error about a value states the problem and the fix")
  func errors() throws {
    func error(_ text: String) throws -> ExpressionError? {
      let expression = try Expression.parse(text)
      return #expect(throws: ExpressionError.self) { try expression.evaluate(in: Self.contexts) }
    }
    #expect(
      try error("results.text + 1")?.description
        == "'+' computes with numbers, not with string, texts are joined with format('{0}{1}', …)")
    #expect(
      try error("1 - results.absent")?.description
        == "'-' computes with numbers, not with null, give a default, as in '(x || 0)'")
    let division = try error("1 + 4 % (2 - 2)")
    #expect(division?.message == "this divides by zero" && division?.position == 5 && division?.length == 10)
  }

  @Test("a default must be given inside parentheses, as in comparisons")
  func defaults() throws {
    #expect(try Expression.parse("(results.a || 0) + 1").resultsWithDefault == ["a"])
    #expect(try Expression.parse("results.a + 1 || 0").resultsWithDefault == [])
    #expect(try Expression.parse("[results.a] || 0").resultsWithDefault == [])
  }
}
