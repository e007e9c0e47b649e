import Testing

@Suite("Code at the top level of a program")
struct ScriptTests {
  @Test("waits for its changes, and catches what they throw")
  func topLevel() throws {
    let directory = try TemporaryDirectory()
    let script = try Child([directory.workspace], program: "WorkspaceScript")
    #expect(script.line() == "caught")
    #expect(script.line() == "1")
    #expect(script.wait() == 0)
  }
}
