import Foundation
import PipelineLanguage
import RunHistory
import RunReports
import Testing

@testable import Server

@Suite("The report of a queued run")
struct QueueReportTests {
  /// A pipeline that goes on until the test has ended.
  private static let working = "operations: [{ name: work, run: exec sleep 60 }]\n"
  private static let asking = "operations: [{ name: ask, approve: may it? }]\n"

  private func isWorking(_ run: RunID, in history: History) throws -> Bool {
    try history.operations(of: run).contains { $0.state == .running }
  }

  private func begin(_ name: String, on bench: ServerBench, in history: History) async throws -> RunID {
    let run = try bench.start(name, in: history)
    try await eventually { try isWorking(run, in: history) }
    return run
  }

  private func reasons(_ pipeline: String? = nil, in history: History) throws -> [String] {
    try QueueReport(of: pipeline, in: history).places.map(\.reason)
  }

  @Test("names the runs that hold a slot of the host, but not those that have released theirs")
  func places() async throws {
    let bench = try ServerBench(["one": Self.working, "two": Self.asking]) { $0.limits.runs = 1 }
    try await bench.serve { _, history in
      let resting = try bench.start("two", in: history)
      try await eventually { try !history.pendingApprovals(resting).isEmpty }
      let holder = try await begin("one", on: bench, in: history)
      _ = try bench.start("one", in: history)
      let queued = try bench.start("two", in: history)
      let reason =
        "a slot: limits.runs of the host allows 1 run at once: run \(short(holder, in: history)) of 'one' has it"
      #expect(try reasons(in: history) == [reason, reason])
      // The latest turn was that of 'one'.
      #expect(try QueueReport(in: history).places.map(\.place.pipeline) == ["two", "one"])
      #expect(try QueueReport(in: history).places.map(\.before) == [0, 1])
      #expect(try QueueReport(of: "one", in: history).places.map(\.before) == [1])
      let recorded = try #require(try history.loadForResume(queued))
      let explanation = RunExplanation(
        of: recorded, pipeline: nil, operation: nil, shortID: "X",
        place: try QueueReport(run: queued, in: history).places.first)
      #expect(explanation.entries.first?.because.first == "it is queued, with 0 before it; it waits for \(reason)")
    }
    let history = try bench.history()
    defer { history.workspace.close() }
    #expect(Set(try reasons(in: history)) == ["a host: no host serves the workspace"])
  }

  @Test("names at most three runs, and says how many more there are")
  func many() async throws {
    let bench = try ServerBench(["one": Self.working]) { $0.limits.runs = 5 }
    try await bench.serve { _, history in
      var runs: [RunID] = []
      for _ in 0..<5 { runs.append(try await begin("one", on: bench, in: history)) }
      _ = try bench.start("one", in: history)
      let names = runs.prefix(3).map { "run \(short($0, in: history)) of 'one'" }.joined(separator: ", ")
      #expect(
        try reasons(in: history) == [
          "a slot: limits.runs of the host allows 5 runs at once: \(names) and 2 more have them"
        ])
    }
  }

  @Test("says that its queue is full, and names no other limit")
  func queue() async throws {
    let bench = try ServerBench(["one": "queue: heavy\n" + Self.working, "two": Self.working]) { configuration in
      configuration.use(
        HostDefinition.load(text: "queues: { heavy: { runs: 1 } }\ndrain: 0s", path: "host.yaml").host
          ?? HostDefinition())
    }
    try await bench.serve { _, history in
      let holder = try await begin("one", on: bench, in: history)
      _ = try await begin("two", on: bench, in: history)
      _ = try bench.start("one", in: history)
      #expect(
        try reasons(in: history) == [
          "a slot in the queue 'heavy': queues.heavy.runs of the host allows 1 run at once: run \(short(holder, in: history)) of 'one' has it"
        ])
    }
  }

  @Test("says that its pipeline allows one run at a time")
  func turn() async throws {
    let bench = try ServerBench(["one": "overlap: queue\n" + Self.working, "two": "overlap: cancel\n" + Self.working])
    try await bench.serve { _, history in
      let holder = try await begin("one", on: bench, in: history)
      _ = try bench.start("one", in: history)
      let process = ProcessInfo.processInfo.processIdentifier
      #expect(
        try reasons("one", in: history) == [
          "its turn: only one run of 'one' is active at a time, now run \(short(holder, in: history)) in process \(process)"
        ])
    }
  }

  @Test("says which run in progress lacks a descriptor, in the status of its pipeline")
  func shortage() async throws {
    let bench = try ServerBench(["one": Self.working])
    try await bench.serve { _, history in
      let run = try await begin("one", on: bench, in: history)
      #expect(try StatusReport(of: [], in: history).entries.first?.reason == "run \(short(run, in: history))")
      try await history.workspace.write { db in
        try db.cachedStatement(
          sql: "UPDATE operation_record SET reason = 'shortage', detail = '{\"why\":\"no descriptor\"}'"
        ).execute()
      }
      #expect(
        try StatusReport(of: [], in: history).entries.first?.reason
          == "run \(short(run, in: history)): 'work' waits for system resources: no descriptor")
    }
  }

  @Test("says that a retry of another run is pending, which can be woken")
  func wake() async throws {
    let retrying = "operations: [{ name: fetch, run: 'false', retry: { limit: 2, base: 1h } }]"
    let bench = try ServerBench(["one": retrying])
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      try await eventually { try history.operations(of: run).first?.state == .retrying }
      let command = "penstock wake \(short(run, in: history)) fetch"
      let explanation = try #require(try PipelineExplanation(of: "one", in: history))
      #expect(
        explanation.sentences.contains {
          $0.hasPrefix("Run \(short(run, in: history)): 'fetch' waits for a retry until ")
            && $0.hasSuffix("; `\(command)` tries it now.")
        })
      let recorded = try #require(try history.loadForResume(run))
      let entries = RunExplanation(of: recorded, pipeline: nil, operation: nil, shortID: short(run, in: history))
        .entries
      #expect(entries.last?.remedies == ["it is retried automatically", command])
    }
  }
}
