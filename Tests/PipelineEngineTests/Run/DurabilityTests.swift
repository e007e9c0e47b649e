import CFaultVFS
import Foundation
import Synchronization
import Testing
import Values
import Workspace

@testable import PipelineEngine
@testable import RunHistory

/// What a power loss leaves of a workspace: its files as they were when last synchronised.
private final class PowerLoss: Sendable {
  private let image: String
  private let number: Int32
  private let ignored: Int

  /// Keeps an image from now on. Nothing has been committed in the workspace; its database was written to disk when it was created.
  init(_ workspace: OpenWorkspace) throws {
    image = NSTemporaryDirectory() + "penstock-power-loss-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: image, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: workspace.path, toPath: image + "/workspace.db")
    number = fault_image_begin(workspace.directory + "/", image)
    try #require(number >= 0)
    // SQLite itself synchronises a new log before its first commit.
    try workspace.write { try $0.execute(sql: "CREATE TABLE ballast (number INTEGER); DROP TABLE ballast") }
    ignored = Int(fault_image_syncs(number, "-wal"))
  }

  deinit {
    fault_image_end(number)
    try? FileManager.default.removeItem(atPath: image)
  }

  /// How often the log was synchronised.
  var logSyncs: Int { Int(fault_image_syncs(number, "-wal")) - ignored }

  /// Reads the history as the power loss would leave it.
  func read<T>(_ body: (History) throws -> T) throws -> T {
    let copy = image + "-\(UUID().uuidString)"
    try FileManager.default.copyItem(atPath: image, toPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let history = try History.open(at: copy, mode: .readWrite)
    defer { history.workspace.close() }
    #expect(try history.workspace.checkIntegrity() == [])
    return try body(history)
  }
}

@Suite("What survives a power loss")
struct DurabilityTests {
  init() throws {
    // Before anything is opened.
    try #require(fault_install() == 0)
  }

  @Test("a run reported as ended survives, at the cost of one synchronisation of the log")
  func end() async throws {
    let host = try EngineTestHost()
    let loss = try PowerLoss(host.services.history.workspace)
    let counted = Mutex(0)
    let run = try await host.run(
      """
      name: many
      operations:
        - { name: a, value: 1 }
        - { name: b, command: ["true"], needs: a }
        - { name: c, value: "${{ results.a }}", needs: b }
      """
    ) { event in
      // Called after everything that observers see.
      if case .run(let record) = event, record.state.isFinal { counted.withLock { $0 = loss.logSyncs } }
    }
    #expect(counted.withLock { $0 } == 1)
    #expect(loss.logSyncs == 1)
    let found = try loss.read { try ($0.run(run.outcome.run.id), $0.operations(of: run.outcome.run.id)) }
    #expect(found.0 == run.outcome.run)
    #expect(found.1 == run.operations)
    await host.close()
  }

  @Test("a question that was asked survives, and so does the end of its run")
  func question() async throws {
    let host = try EngineTestHost()
    let history = host.services.history
    let loss = try PowerLoss(history.workspace)
    async let finished = host.run(
      """
      name: careful
      operations: [{ name: ask, approve: Ship it? }]
      """)
    while loss.logSyncs == 0 { try await Task.sleep(for: .milliseconds(1)) }
    let id = try #require(try history.runs(RunFilter(limit: 1)).first?.id)
    #expect(try loss.read { try $0.approvals(of: id).map(\.message) } == ["Ship it?"])
    #expect(
      try history.write {
        try ApprovalRows.answer(id, operation: "ask", .init(isApproved: true, note: nil, who: "ada", at: .now), in: $0)
      }
        != .notAsked(pending: []))
    #expect(try await finished.outcome.run.state == .succeeded)
    #expect(try loss.read { try $0.approvals(of: id).map(\.state) } == ["approved"])
    #expect(loss.logSyncs == 2)
    await host.close()
  }

  @Test("an acknowledged answer survives")
  func answer() async throws {
    let fixture = try HistoryFixture()
    let loss = try PowerLoss(fixture.workspace)
    let run = fixture.record(state: .running)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 0, name: "ask", position: 0, state: .waiting)))
    fixture.recorder.record(
      .approvalRequested(
        Approval(run: run.id, ordinal: 0, operation: "ask", message: "Ship it?", requestedAt: HistoryFixture.start)))
    try await fixture.recorder.flush()
    #expect(loss.logSyncs == 0)
    guard
      case .answered(let approval) = try fixture.history.answerApproval(
        run.id, operation: "ask", approved: false, note: "no", who: "ada")
    else { throw TestFailure() }
    #expect(loss.logSyncs == 1)
    #expect(try loss.read { try $0.approvals(of: run.id) } == [approval])
  }

  private struct TestFailure: Error {}
}
