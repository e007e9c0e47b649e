import Testing
import Workspace

@Suite("The dictionary")
struct DictionaryTests {
  let directory: TemporaryDirectory
  let workspace: Workspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openJobs(directory)
  }

  @Test("The dictionary changes with the transaction, and keeps types apart")
  func dictionary() async throws {
    let page = DictionaryKey<Int>("page")
    let names = DictionaryKey<[String]>("names")
    try await workspace.setValue(7, for: page)
    try await workspace.performChanges([Job.self]) { context in
      #expect(try context.value(for: page) == 7)
      try context.setValue(8, for: page)
      try context.setValue(["a", "b"], for: names)
    }
    #expect(try workspace.value(for: page) == 8)
    #expect(try workspace.value(for: names) == ["a", "b"])
    _ = await caught(ChangeError.self) {
      try await workspace.performChanges([Job.self]) { context in
        try context.setValue(9, for: page)
        context.abort()
      }
    }
    #expect(try workspace.value(for: page) == 8)
    #expect(throws: WorkspaceError.self) { try workspace.value(for: DictionaryKey<[Int]>("page")) }
    try await workspace.setValue(nil, for: page)
    #expect(try workspace.value(for: page) == nil)
  }
}
