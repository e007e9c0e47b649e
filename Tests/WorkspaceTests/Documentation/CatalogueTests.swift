import Foundation
import Testing
import Workspace

/// The code of the documentation catalogue, in the same order. Any change must be made there as well.
private enum Catalogue {
  struct Job: Storable {
    enum State: String, ColumnValue { case queued, running, failed }
    var id: String
    var state: State
    var attempt: Int
    var endedAt: Instant?

    static let id = Field("id", \Job.id)
    static let state = Field("state", \Job.state)
    static let attempt = Field("attempt", \Job.attempt, default: 1)
    static let endedAt = Field("ended_at", \Job.endedAt)
    static let schema = ObjectSchema(
      "job", Job.init, id, state, attempt, endedAt, key: id, indexes: [.index(state, attempt)])
  }

  /// The directory of the page; the test has one of its own.
  static func place() -> String {
    let directory = "/tmp/jobs"
    return directory
  }

  static func opening(_ directory: String) async throws -> (OpenWorkspace, Job) {
    let workspace = try OpenWorkspace.open(
      at: directory, schema: WorkspaceSchema(applicationID: 0x6578_616d, objects: [Job.self]), mode: .readWrite)
    try await workspace.performChanges([Job.self]) { context in
      try context.submit(Job.creationRequest(Job(id: "a", state: .queued, attempt: 1, endedAt: nil)))
    }
    let queued = try workspace.fetch(for: Job.self).where(Job.state == .queued, orderBy: [Job.attempt.descending])
    return (workspace, try #require(queued.first))
  }

  static func changing(_ workspace: OpenWorkspace, _ job: Job) async throws -> String {
    try await workspace.performChanges([Job.self]) { context in
      try context.submit(Job.upsertRequest(Job(id: "b", state: .running, attempt: 1, endedAt: nil)))
      try context.submit(Job.changeRequest(job) { $0.attempt += 1 })
      try context.update(Job.self, set: [Job.state.set(.failed)], where: Job.attempt > 3)
      try context.delete(Job.self, where: Job.endedAt < Instant(microseconds: 0))
    }
    let outcome = try await workspace.performChanges([Job.self]) { context in
      do {
        try context.submit(Job.creationRequest(Job(id: "a", state: .queued, attempt: 1, endedAt: nil)))
        return "created"
      } catch let error as ChangeError where error.cause == .keyTaken {
        return "was there"
      }
    }
    return outcome
  }

  static func fetching(_ workspace: OpenWorkspace) throws -> [Int] {
    let failed = try workspace.fetch(for: Job.self)
      .where(Job.state == .failed && Job.attempt.between(2, 5), limit: 10, orderBy: [Job.endedAt.descending])
    let waiting = try workspace.fetch(for: Job.self).where(Job.state.in([.queued, .running]) && Job.endedAt.isNil())
    let nightly = try workspace.fetch(for: Job.self).where(Job.id.hasPrefix("nightly-")).map(\.id)

    let count = try workspace.fetch(for: Job.self).count(where: Job.state == .failed)
    let perState = try workspace.fetch(for: Job.self)
      .select(Job.state, Job.count, Job.attempt.maximum, groupedBy: [Job.state])

    let (all, running) = try workspace.fetchWithinASnapshot { snapshot in
      (
        try snapshot.fetch(for: Job.self).count(),
        try snapshot.fetch(for: Job.self).where(Job.state == .running)
      )
    }
    return [failed.count, waiting.count, nightly.count, count, perState.count, all, running.count]
  }

  static func following(_ workspace: OpenWorkspace, _ job: Job) async throws {
    let failed = try workspace.fetch(for: Job.self).where(Job.state == .failed)
    let subscription = try workspace.subscribe(object: job) { state in
      switch state {
      case .updated(let job): print("attempt \(job.attempt)")
      case .deleted: print("gone")
      }
    }
    let results = try workspace.subscribe(fetchedResult: failed) { print("\($0.count) failed") }
    for try await live in workspace.publisher(for: Job.self).where(Job.state == .failed, limit: 3) {
      print("\(live.difference.insertions.count) more, \(live.result.count) in all")
      if live.result.isEmpty { break }
    }
    withExtendedLifetime((subscription, results)) {}
  }
}

@Suite("The documentation catalogue")
struct CatalogueTests {
  @Test("shows code that works as described")
  func runs() async throws {
    let directory = try TemporaryDirectory()
    let (workspace, job) = try await Catalogue.opening(directory.workspace)
    #expect(try await Catalogue.changing(workspace, job) == "was there")
    #expect(try Catalogue.fetching(workspace) == [0, 2, 0, 0, 2, 2, 1])
    try await Catalogue.following(workspace, job)
  }

  @Test("shows only code that is compiled", arguments: ["Workspace", "Changing", "Fetching", "Following"])
  func isCompiled(article: String) throws {
    let source = "Tests/WorkspaceTests/Documentation/CatalogueTests.swift"
    let code = try Checkout.words(of: source)
    let blocks = try Checkout.swiftBlocks(of: "Sources/Workspace/Workspace.docc/\(article).md")
    #expect(!blocks.isEmpty)
    for block in blocks { #expect(code.contains(Checkout.words(block)), "\(block) is not in \(source)") }
  }
}
