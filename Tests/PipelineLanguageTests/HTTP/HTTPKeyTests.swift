import HTTPOperations
import Testing

@testable import PipelineLanguage

@Suite("Keys of http")
struct HTTPKeyTests {
  private func action(_ lines: String...) throws -> (action: HTTPAction, operation: OperationDefinition) {
    let text =
      "operations:\n  - name: x\n" + lines.map { "    \($0)\n" }.joined()
    let loaded = PipelineLoader.load(text: text, path: "x.yaml")
    let operation = try #require(loaded.pipeline?.operations.first, "\(loaded.diagnostics.map(\.message))")
    guard case .http(let action) = operation.action else {
      Issue.record("the action is no request")
      return (HTTPAction(), operation)
    }
    return (action, operation)
  }

  @Test("the default method is GET, or POST with a body")
  func methods() throws {
    #expect(try action(#"http: { url: "http://h/" }"#).action.effectiveMethod == "GET")
    #expect(try action(#"http: { url: "http://h/", json: [1] }"#).action.effectiveMethod == "POST")
    #expect(try action(#"http: { url: "http://h/", json: [1], method: put }"#).action.effectiveMethod == "PUT")
  }

  @Test("harmless requests have three retries by default")
  func retries() throws {
    #expect(try action(#"http: { url: "http://h/" }"#).operation.retry.limit == 3)
    #expect(try action(#"http: { url: "http://h/" }"#, "retry: 0").operation.retry.limit == 0)
    #expect(try action(#"http: { url: "http://h/", body: x }"#).operation.retry.limit == 0)
    #expect(
      try action(#"http: { url: "http://h/", body: x, headers: { idempotency-key: k } }"#).operation.retry.limit == 3)
    let asked = try action(#"http: { url: "http://h/", body: x }"#, "retry: 2")
    #expect(asked.operation.retry.limit == 2)
    #expect(asked.action.retriesAnything)
  }

  @Test("early accepts its own words besides conditions")
  func early() throws {
    let read = try action(#"http: { url: "http://h/" }"#, "retry: { early: [reachable, connected, peer-success] }")
    #expect(read.action.early == .all)
    #expect(read.operation.retry.early.map(\.text) == ["connected"])
  }

  @Test("statuses are numbers and classes")
  func statuses() throws {
    let read = try action(#"http: { url: "http://h/", expect: { status: [2xx, 404] } }"#)
    #expect(read.action.statuses?.codes == Set(200..<300).union([404]))
    for text in ["2x", "xxx", "600", "99", "6xx", "-1"] { #expect(DocumentReader.statuses(text) == nil, "\(text)") }
  }

  @Test("errors that do not depend on expressions are reported at their place")
  func wrong() {
    let codes = findings(
      """
      operations:
        - name: x
          http:
            url: "ftp://h/"
            method: "GET /"
            headers: { "a b": x, y: "1\\n2" }
            expect: { status: 2x, type: json }
            body: x
            json: [1]
            checksum: sha256:00
      """
    ).map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(
      codes == [
        "4:12 unsupported-scheme", "5:15 invalid-method", "6:18 invalid-field-name", "6:31 invalid-field-value",
        "7:25 invalid-status", "7:35 invalid-media-type", "9:7 several-bodies", "10:17 invalid-checksum",
        "10:17 misplaced-key",
      ])
  }

  @Test("a secret is allowed in what is sent, but not in a path")
  func secrets() {
    let prefix = "secrets: { t: { env: T } }\noperations: [{ name: x, http: { url: \"http://h/\", "
    #expect(findings(prefix + "auth: { bearer: \"${{ secrets.t }}\" } } }]").isEmpty)
    #expect(findings(prefix + "query: { k: \"${{ secrets.t }}\" } } }]").isEmpty)
    #expect(findings(prefix + "save_to: \"${{ secrets.t }}\" } }]").first?.contains("secret-exposed") == true)
  }
}
