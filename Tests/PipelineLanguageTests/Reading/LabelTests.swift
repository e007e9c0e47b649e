import Testing

@testable import PipelineLanguage

@Suite("Labels of a pipeline") struct PipelineLabelTests {
  private func found(_ labels: String) -> [String] {
    findings("labels: \(labels)\noperations: [{ name: x, value: 1 }]\n")
  }

  @Test("are names with short texts")
  func labels() throws {
    let text = "labels: { team: data, app.example/tier: 1, on-call: yes, _: x }\noperations: [{ name: x, value: 1 }]\n"
    #expect(
      try pipeline(text.replacing(", _: x", with: "")).labels == [
        "team": "data", "app.example/tier": "1", "on-call": "yes",
      ])
    #expect(try pipeline("labels: {}\noperations: [{ name: x, value: 1 }]\n").labels == [:])
  }

  @Test("yield errors with their places if they are invalid")
  func mistakes() {
    let rule = "it may contain letters, digits, '.', '_', '/' and '-', at most 63, the first a letter or digit"
    #expect(found("[a]") == ["1:9 wrong-form 'labels' needs a mapping of names to texts, found a list"])
    #expect(found("{ _a: b }") == ["1:11 invalid-name '_a' cannot be the name of a label: \(rule)"])
    #expect(found("{ a b: c }") == ["1:11 invalid-name 'a b' cannot be the name of a label: \(rule)"])
    #expect(found("{ \(String(repeating: "a", count: 64)): c }").first?.contains("invalid-name") == true)
    #expect(found("{ a: [b] }") == ["1:14 wrong-form the label 'a' needs a text, found a list"])
    #expect(found("{ a: }") == ["1:13 wrong-form the label 'a' needs a text, found nothing"])
    #expect(found("{ a: \"b\\nc\" }") == ["1:14 out-of-range the label 'a' holds a control character"])
    #expect(found("{ a: \"\\e[2J\" }") == ["1:14 out-of-range the label 'a' holds a control character"])
    #expect(
      found("{ a: \(String(repeating: "b", count: 201)) }")
        == ["1:14 out-of-range the label 'a' is longer than the 200 characters allowed"])
    #expect(found("{ a: '${{ params.x }}' }").first?.hasPrefix("1:15 expression-not-allowed the label 'a'") == true)
    let many = (0..<33).map { "\n  l\($0): x" }.joined()
    #expect(found(many) == ["34:3 out-of-range there are 33 labels; a pipeline may have 32"])
  }

  @Test("belong at the top of a file, even under names from other tools")
  func places() {
    #expect(
      findings(inOperation: "run: ls", "labels: { a: b }") == [
        "4:5 misplaced-key 'labels' belongs at the top of the file: runs have labels, operations do not (move it there; an item of a loop has a 'label')"
      ])
    #expect(
      findings("tags: [a]\noperations: [{ name: x, value: 1 }]\n").first?.hasSuffix("(did you mean 'labels'?)") == true)
  }
}
