import Testing
import Values

@testable import Expressions

@Suite("Templates")
struct TemplateTests {
  private static let contexts = ObjectContexts([
    "x": [
      "text": "Mona", "list": [1, "a"], "object": ["k": .null], "number": 0.1, "big": 12_345_678_901_234_567,
      "none": .null,
    ]
  ])

  static let values: [(String, JSONValue)] = [
    ("", ""), ("plain", "plain"), ("$", "$"), ("${", "${"), ("$ {{ x }}", "$ {{ x }}"), ("}}", "}}"),
    ("${{ x.list }}", [1, "a"]), ("${{x.none}}", .null),
    ("${{ x.big }}", 12_345_678_901_234_567), (" ${{ x.text }}", " Mona"), ("${{ x.text }}\n", "Mona\n"),
    ("${{ 'a' }}${{ 'b' }}", "ab"), ("a ${{ x.none }} b", "a  b"),
    ("a ${{ x.list }}", #"a [1,"a"]"#), ("a ${{ x.object }}", #"a {"k":null}"#),
    ("n=${{ x.number }} t=${{ true }}", "n=0.1 t=true"), ("id-${{ x.big }}", "id-12345678901234567"),
    ("${{ 1e20 }}!", "1E+20!"), ("${{ '}}' }}", "}}"), ("${{ '''}}' }}", "'}}"), ("${{ '${{' }} x", "${{ x"),
    ("${{ format('{{{0}}}', 1) }}", "{1}"), ("$${{ 1 }}", "$1"), ("${{ 1 }}}", "1}"),
    ("é\u{1F600} ${{ x.text }}", "é\u{1F600} Mona"),
  ]

  @Test("a template evaluates to its value", arguments: values)
  func value(text: String, expected: JSONValue) throws {
    let template = try Template.parse(text)
    #expect(try template.evaluate(in: Self.contexts) == expected)
    #expect(template.text == text)
  }

  static let failures: [(String, position: Int, code: String)] = [
    ("a ${{ x", 3, "expression-not-closed"), ("${{", 1, "expression-not-closed"),
    ("${{ 'a }}", 1, "expression-not-closed"), ("é ${{ }}", 3, "expression-syntax"), ("${{}}", 1, "expression-syntax"),
    ("é ${{ 1 +2 }}", 9, "expression-syntax"), ("${{ 1 }} ${{ a b }}", 16, "expression-syntax"),
    ("${{ foo() }}", 5, "unknown-function"), ("${{ a == }}", 9, "expression-syntax"),
  ]

  @Test("the position of a mistake refers to the template's text", arguments: failures)
  func failure(text: String, position: Int, code: String) {
    let error = #expect(throws: ExpressionError.self) { try Template.parse(text) }
    #expect(error?.position == position && error?.code == code, "\(String(describing: error))")
  }

  @Test("the position of an evaluation error refers to the template's text")
  func evaluation() throws {
    let error = #expect(throws: ExpressionError.self) {
      try Template.parse("a ${{ fromJSON('x') }}").evaluate(in: Self.contexts)
    }
    #expect(error?.position == 16)
  }

  @Test("segments and references carry their positions")
  func places() throws {
    let template = try Template.parse("é ${{ results.a || 1 }}${{  results.b }}")
    #expect(
      template.segments == [
        .literal("é "), .expression(try Expression.parse("results.a || 1"), offset: 6),
        .expression(try Expression.parse("results.b"), offset: 28),
      ])
    #expect(template.references.map(\.position) == [7, 29])
    #expect(template.resultsWithDefault == ["a"])
    #expect(try Template.parse("${{ results.a || 1 }} ${{ results.a }}").resultsWithDefault == [])
    #expect(!template.isLiteral && template.wholeExpression == nil && !template.usesStatusFunction)
    #expect(try Template.parse("${{ success() }}").usesStatusFunction)
    #expect(try Template.parse("${{ a }}").wholeExpression?.text == "a")
    #expect(Template(literal: "${{ a }}").isLiteral)
    #expect(try Template(expression: Expression.parse("a.b")) == Template.parse("${{ a.b }}"))
    #expect(try Template(literal: "${{").evaluate(in: Self.contexts) == "${{")
  }
}
