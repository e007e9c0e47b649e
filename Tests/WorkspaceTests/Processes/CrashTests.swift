import Foundation
import Testing
import Workspace
import WorkspaceChild

/// A process that is killed at any time. `PENSTOCK_SOAK=full` kills 500 of them.
@Suite("A writer that is killed")
struct CrashTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let rounds = environment["PENSTOCK_SOAK"] == "full" ? 500 : 15
  private static let seed = environment["PENSTOCK_SOAK_SEED"].flatMap { UInt64($0) } ?? 20_261_122

  @Test("leaves everything that was acknowledged, whole transactions, and an intact file", .timeLimit(.minutes(60)))
  func killed() throws {
    let directory = try TemporaryDirectory()
    var random = Repeatable(seed: Self.seed)
    var items: [Int: Numbered.Item] = [:]
    var next = 0
    var unacknowledged = 0
    for round in 0..<Self.rounds {
      let place: Comment = "round \(round); repeat with PENSTOCK_SOAK_SEED=\(Self.seed)"
      let child = try Child(["write", directory.workspace, "\(Self.seed)"])
      // Some are killed while they open the workspace, or recover what the previous one has left.
      var acknowledged = next - 1
      let lines = Int.random(in: 0..<4, using: &random) == 0 ? 0 : Int.random(in: 1...60, using: &random)
      for _ in 0..<lines {
        let line = try #require(child.line(), place)
        acknowledged = try #require(Int(line), "\(place): \(line)")
      }
      usleep(UInt32.random(in: 0...3_000, using: &random))
      child.kill()
      while let line = child.line() { acknowledged = try #require(Int(line), "\(place): \(line)") }

      let workspace = try Numbered.open(directory.workspace)
      let last = try Numbered.Last.number(in: workspace)
      try #require(last >= acknowledged, "\(place): \(acknowledged) was acknowledged and is gone")
      // The order of the calls was that of the numbers, and four were in progress.
      try #require(last <= acknowledged + 4, place)
      if last > acknowledged { unacknowledged += 1 }
      Numbered.apply(next..<(last + 1), seed: Self.seed, to: &items)
      next = last + 1
      let found = try workspace.fetch(for: Numbered.Item.self).all()
      let different = Set(found.map(\.self)).symmetricDifference(items.values).map { "\($0.id) of \($0.writer)" }
      try #require(different == [], place)
      try #require(found.count == items.count, place)
      try #require(try workspace.checkIntegrity() == [], place)
      // Half of the time, the next process finds the log as the killed one left it.
      if Bool.random(using: &random) { workspace.close() }
    }
    #expect(next > Self.rounds)
    if Self.rounds > 100 { #expect(unacknowledged > 0, "no kill came between a commit and its acknowledgement") }
  }

  @Test("releases the write lock to a waiting process; one that only sleeps is reported by name")
  func lock() async throws {
    let directory = try TemporaryDirectory()
    try openRegisters(directory.workspace).close()
    let child = try Child(["hold", directory.workspace])
    #expect(child.line() == "held")
    let impatient = try openRegisters(directory.workspace, patience: .milliseconds(20))
    let error = await caught(ChangeError.self) {
      try await impatient.performChanges([Register.self]) {
        try $0.submit(Register.upsertRequest(Register(key: 1, version: 1)))
      }
    }
    #expect(error == ChangeError(cause: .workspace(.locked(path: impatient.path))))
    #expect(error?.code == "workspace-locked")
    // Reading needs no lock.
    #expect(try impatient.fetch(for: Register.self).count() == 0)
    let patient = try openRegisters(directory.workspace)
    async let change: Void = patient.performChanges([Register.self]) {
      try $0.submit(Register.upsertRequest(Register(key: 1, version: 2)))
    }
    child.kill()
    try await change
    #expect(try impatient.fetch(for: Register.self).all().map(\.version) == [2])
  }
}
