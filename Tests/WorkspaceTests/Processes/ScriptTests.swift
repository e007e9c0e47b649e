import Testing

@Suite("Top-level code of a program")
struct ScriptTests {
  @Test("waits for its changes, and catches their errors")
  func topLevel() throws {
    let directory = try TemporaryDirectory()
    let script = try Child([directory.workspace], program: "WorkspaceScript")
    #expect(script.line() == "caught")
    #expect(script.line() == "1")
    #expect(script.wait() == 0)
  }
}
