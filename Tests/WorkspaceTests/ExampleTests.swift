import Foundation
import Testing
import Workspace

/// The code of `Documentation/workspace.md`, in the same order. Any change must be made there as well.
private enum Example {
  struct Job: Storable {
    enum State: String, ColumnValue { case queued, running, failed }
    var id: String
    var state: State
    var attempt: Int
    var tags: [String]

    static let id = Field("id", \Job.id)
    static let state = Field("state", \Job.state)
    static let attempt = Field("attempt", \Job.attempt, default: 1)
    static let tags = Field("tags", json: \Job.tags)
    static let schema = ObjectSchema(
      "job", Job.init, id, state, attempt, tags, key: id, indexes: [.index(state, attempt)])
  }

  /// The directory of the page; the test has one of its own.
  static func place() -> String {
    let directory = "/tmp/jobs"
    return directory
  }

  static func run(_ directory: String) async throws -> ([String], [Int]) {
    let workspace = try OpenWorkspace.open(
      at: directory, schema: WorkspaceSchema(applicationID: 0x6578_616d, objects: [Job.self]), mode: .readWrite)

    try await workspace.performChanges([Job.self]) { context in
      try context.submit(Job.creationRequest(Job(id: "a", state: .queued, attempt: 1, tags: ["nightly"])))
      try context.submit(Job.changeRequest(Job(id: "a", state: .queued, attempt: 1, tags: [])) { $0.state = .failed })
    }
    let failed = try workspace.fetch(for: Job.self)
      .where(Job.state == .failed && Job.attempt < 3, limit: 10, orderBy: [Job.attempt.descending])
    let perState = try workspace.fetch(for: Job.self).select(Job.state, Job.count, groupedBy: [Job.state])
    let subscription = try workspace.subscribe(fetchedResult: failed) { print("\($0.count) failed") }
    try await workspace.performChanges([Job.self]) { try $0.delete(Job.self, where: Job.state == .failed) }
    await workspace.shutdown()
    withExtendedLifetime(subscription) {}
    return (failed.map(\.id), perState.map(\.1))
  }
}

@Suite("The example of the documentation")
struct ExampleTests {
  @Test("works as described")
  func runs() async throws {
    let directory = try TemporaryDirectory()
    let (failed, counts) = try await Example.run(directory.workspace)
    #expect(failed == ["a"])
    #expect(counts == [1])
  }

  @Test("is the tested code")
  func isTheSame() throws {
    let code = try Checkout.words(of: "Tests/WorkspaceTests/ExampleTests.swift")
    let blocks = try Checkout.swiftBlocks(of: "Documentation/workspace.md")
    #expect(blocks.count == 3)
    for block in blocks { #expect(code.contains(Checkout.words(block))) }
  }
}
