import Foundation
import RunHistory
import RunReports
import Server
import Testing

@Suite("A run whose `start_within` is over", .timeLimit(.minutes(2)))
struct LateRunTests {
  private static let working = "operations: [{ name: a, run: exec sleep 600 }]"
  private static let stubborn =
    "operations: [{ name: a, run: \"trap '' TERM; touch $PWD/trapped; while :; do sleep 0.05; done\", grace: 60s }]"

  private func isWorking(_ run: RunID, in history: History) throws -> Bool {
    try history.operations(of: run).contains { $0.state == .running }
  }

  /// Waits until the run is left out, which leaves nothing of it.
  private func expectLeftOut(
    _ run: RunID, on bench: ServerBench, in history: History, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await eventually(
      { try history.run(run)?.state.isFinal == true }, sourceLocation: sourceLocation)
    let record = try #require(try history.run(run), sourceLocation: sourceLocation)
    #expect(
      (record.state, record.reason) == (.cancelled, "too-late"), sourceLocation: sourceLocation)
    #expect(record.startedAt == nil, sourceLocation: sourceLocation)
    let occasion = try #require(
      try history.occasions().first { $0.run == run }, sourceLocation: sourceLocation)
    #expect((occasion.outcome, occasion.reason) == (.skipped, .tooLate), sourceLocation: sourceLocation)
    #expect(occasion.lateMilliseconds == nil, sourceLocation: sourceLocation)
    #expect(try !history.queue().contains { $0.run == run }, sourceLocation: sourceLocation)
    try await eventually(
      {
        bench.log.contains {
          $0.hasSuffix("skipped run \(run) of '\(record.pipeline)': it did not begin within `start_within`")
        }
      },
      sourceLocation: sourceLocation)
    #expect(!bench.log.contains { $0.contains("run \(run) of '\(record.pipeline)' begins") })
  }

  @Test("is left out at that moment, even if no slot is free", arguments: ["allow", "skip", "queue", "cancel"])
  func noPlace(overlap: String) async throws {
    let bench = try ServerBench([
      "one": Self.working, "late": "overlap: \(overlap)\nstart_within: 200ms\n\(Self.working)",
    ]) {
      $0.limits.runs = 1
      $0.drain = .zero
    }
    try await bench.serve { _, history in
      let holder = try bench.start("one", in: history)
      try await eventually { try isWorking(holder, in: history) }
      let late = try bench.start("late", in: history)
      try await expectLeftOut(late, on: bench, in: history)
      #expect(try isWorking(holder, in: history))
    }
  }

  @Test("is left out while one of its secrets is read")
  func secret() async throws {
    let bench = try ServerBench([
      "one": "start_within: 300ms\nsecrets: { key: { command: [sleep, '600'] } }\n\(Self.working)"
    ]) { $0.drain = .zero }
    try await bench.serve { _, history in
      try await expectLeftOut(try bench.start("one", in: history), on: bench, in: history)
    }
  }

  @Test("is left out while it waits for the end of the run that it replaces")
  func replacing() async throws {
    let bench = try ServerBench(["one": "overlap: cancel\nstart_within: 3s\n\(Self.stubborn)"]) { $0.drain = .zero }
    try await bench.serve { server, history in
      let first = try bench.start("one", in: history)
      let trap = bench.folder + "/trapped"
      try await eventually { FileManager.default.fileExists(atPath: trap) }
      try await expectLeftOut(try bench.start("one", in: history), on: bench, in: history)
      #expect(try history.run(first)?.state == .running)
      for _ in 0..<2 { server.send(.drain(RunCanceller(means: .signal("SIGTERM")))) }
    }
  }

  @Test("is left out while it waits for its turn, even if the file of its pipeline was deleted")
  func withoutFile() async throws {
    let text = "overlap: queue\nstart_within: 1500ms\n\(Self.working)"
    let bench = try ServerBench(["one": text]) { $0.drain = .zero }
    try await bench.serve { _, history in
      let first = try bench.start("one", in: history)
      try await eventually { try isWorking(first, in: history) }
      let others = try (0..<3).map { _ in try bench.start("one", in: history) }
      try bench.remove("one")
      for run in others { try await expectLeftOut(run, on: bench, in: history) }
      #expect(try isWorking(first, in: history))
    }
  }

  @Test("is not shown as waiting for a host")
  func withoutHost() async throws {
    let bench = try ServerBench(["one": "start_within: 1ms\n\(Self.working)"]) { $0.drain = .zero }
    try await bench.serve { _, _ in }
    let history = try bench.history()
    let run = try bench.start("one", in: history)
    try await eventually {
      try QueueReport(in: history).places.map(\.reason) == ["nothing: it did not start in time and is skipped"]
    }
    history.workspace.close()
    try await bench.serve { _, history in try await expectLeftOut(run, on: bench, in: history) }
  }
}
