import HTTPOperations
import Testing

@testable import Expressions
@testable import PipelineLanguage

@Suite("Keys of notify")
struct NotifyKeyTests {
  private func handler(_ text: String) throws -> (action: HTTPAction, definition: OperationDefinition) {
    let loaded = PipelineLoader.load(
      text: "operations: [{ name: x, value: 1 }]\nafter: { always: [{ name: tell, \(text) }] }\n", path: "x.yaml")
    let definition = try #require(loaded.pipeline?.handlers.first?.operation, "\(loaded.diagnostics.map(\.message))")
    guard case .http(let action) = definition.action else {
      Issue.record("the action is no request")
      return (HTTPAction(), definition)
    }
    return (action, definition)
  }

  @Test("a report is posted and retried three times, although it is not a GET")
  func retries() throws {
    let short = try handler(#"notify: "http://h/" "#)
    #expect(short.action.effectiveMethod == "POST")
    #expect(short.action.isReport)
    #expect(short.definition.retry.limit == 3)
    #expect(try handler(#"notify: "http://h/", retry: 0"#).definition.retry.limit == 0)
    #expect(short.definition.actionKind == "notify")
  }

  @Test("the long form has the applicable keys of a request, and its own")
  func long() throws {
    let read = try handler(#"notify: { url: "http://h/", results: false, message: "${{ run.id }}", sign: k }"#).action
    guard case .report(let message, let results) = read.body else {
      Issue.record("the body is no report")
      return
    }
    #expect(message?.text == "${{ run.id }}")
    #expect(!results)
    #expect(read.signature?.text == "k")
    #expect(read.templates.map(\.name) == ["url", "message", "sign"])
  }

  @Test("it is only allowed under after")
  func misplaced() {
    let found = findings(#"operations: [{ name: x, notify: "http://h/" }]"#)
    #expect(found.count == 1)
    #expect(found.first?.contains("misplaced-key") == true, "\(found)")
  }
}
