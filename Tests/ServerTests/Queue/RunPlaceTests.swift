import Foundation
import RunHistory
import Testing

@Suite("Slots for runs in progress")
struct RunPlaceTests {
  /// A pipeline whose operation `work` goes on until the test lets it end.
  private static func working(in bench: String, after first: String = "") -> String {
    """
    operations:
    \(first)  - { name: work, run: 'until [ -e \(bench)/$PENSTOCK_RUN_ID ]; do sleep 0.01; done' }
    """
  }

  private static let asking = "  - { name: ask, approve: may it? }\n"

  private func end(_ run: RunID, in bench: ServerBench) {
    _ = FileManager.default.createFile(atPath: "\(bench.directory)/\(run.text)", contents: nil)
  }

  private func approve(_ run: RunID, _ operation: String = "ask", in history: History) async throws {
    try await eventually { try !history.pendingApprovals(run).isEmpty }
    _ = try history.answerApproval(run, operation: operation, approved: true, note: nil, who: "ada")
  }

  private func state(_ run: RunID, in history: History) throws -> RunState? { try history.run(run)?.state }

  private func work(_ run: RunID, in history: History) throws -> OperationRecord? {
    try history.operations(of: run).first { $0.name == "work" }
  }

  @Test("are limited, and further runs wait in order")
  func limits() async throws {
    let bench = try ServerBench { $0.limits.runs = 2 }
    try bench.write(Self.working(in: bench.directory), to: "one")
    try await bench.serve { _, history in
      let runs = try (0..<4).map { _ in try bench.start("one", in: history) }
      for run in runs[..<2] { try await eventually { try work(run, in: history)?.state == .running } }
      #expect(try history.queue().map(\.run) == Array(runs[2...]))
      end(runs[0], in: bench)
      try await eventually { try state(runs[2], in: history) == .running }
      #expect(try history.queue().map(\.run) == [runs[3]])
      for run in runs[1...] { end(run, in: bench) }
      try await eventually { try runs.allSatisfy { try state($0, in: history) == .succeeded } }
    }
  }

  @Test("are released while everything in a run waits, and returned to it before a queued run begins")
  func rest() async throws {
    let bench = try ServerBench { $0.limits.runs = 1 }
    try bench.write(Self.working(in: bench.directory), to: "plain")
    try bench.write("order: chain\n" + Self.working(in: bench.directory, after: Self.asking), to: "asking")
    try await bench.serve { _, history in
      let asking = try bench.start("asking", in: history)
      let first = try bench.start("plain", in: history)
      try await eventually { try work(first, in: history)?.state == .running }
      let second = try bench.start("plain", in: history)
      try await approve(asking, in: history)
      try await eventually {
        try history.operations(of: asking).contains { $0.name == "ask" && $0.state == .succeeded }
      }
      #expect(try work(asking, in: history)?.startedAt == nil)
      #expect(try state(second, in: history) == .queued)
      end(first, in: bench)
      try await eventually { try work(asking, in: history)?.state == .running }
      #expect(try state(second, in: history) == .queued)
      end(asking, in: bench)
      end(second, in: bench)
      try await eventually { try state(second, in: history) == .succeeded }
      #expect(try state(asking, in: history) == .succeeded)
    }
  }

  @Test("of a run are shared with its nested runs")
  func nested() async throws {
    let bench = try ServerBench { $0.limits.runs = 1 }
    try bench.write(Self.working(in: bench.directory), to: "plain")
    try FileManager.default.createDirectory(atPath: bench.folder + "/_parts", withIntermediateDirectories: true)
    try bench.write("order: chain\n" + Self.working(in: bench.directory, after: Self.asking), to: "_parts/inner")
    try bench.write("operations: [{ name: inner, pipeline: _parts/inner.yaml }]", to: "outer")
    try await bench.serve { _, history in
      let outer = try bench.start("outer", in: history)
      let first = try bench.start("plain", in: history)
      try await eventually { try work(first, in: history)?.state == .running }
      let inner = try #require(try history.nestedRun(of: outer, operation: "inner")).id
      try await approve(inner, in: history)
      end(inner, in: bench)
      end(first, in: bench)
      try await eventually { try state(outer, in: history) == .succeeded }
      let began = try #require(try work(inner, in: history)?.startedAt)
      #expect(try #require(try history.run(first)?.endedAt) <= began)
    }
  }

  @Test("never block a run that holds a name for which another run waits")
  func exclusive() async throws {
    let bench = try ServerBench { $0.limits.runs = 1 }
    try bench.write(
      """
      operations:
        - name: work
          run: '[ -e \(bench.directory)/$PENSTOCK_RUN_ID ]'
          exclusive: disk
          retry: { limit: 1000, backoff: constant, base: 100ms, jitter: none }
      """, to: "one")
    try await bench.serve { _, history in
      let runs = try (0..<3).map { _ in try bench.start("one", in: history) }
      for run in runs { try await eventually { try state(run, in: history) == .running } }
      for run in runs { end(run, in: bench) }
      try await eventually { try runs.allSatisfy { try state($0, in: history) == .succeeded } }
    }
  }

  @Test("are what an operation reports as missing when its next attempt is due")
  func reason() async throws {
    let bench = try ServerBench { $0.limits.runs = 1 }
    try bench.write(
      """
      operations:
        - { name: work, run: 'until [ -e \(bench.directory)/$PENSTOCK_RUN_ID ]; do sleep 0.01; done' }
      """, to: "plain")
    try bench.write(
      """
      specifications: { due: file-exists(\(bench.directory)/due) }
      operations:
        - { name: work, run: '[ $PENSTOCK_ATTEMPT = 2 ]', retry: { limit: 1, base: 1h, max: 1h, jitter: none, early: due } }
      """, to: "again")
    try await bench.serve { _, history in
      let again = try bench.start("again", in: history)
      let plain = try bench.start("plain", in: history)
      try await eventually { try work(plain, in: history)?.state == .running }
      #expect(FileManager.default.createFile(atPath: bench.directory + "/due", contents: nil))
      try await eventually { try work(again, in: history)?.reason == "place" }
      end(plain, in: bench)
      try await eventually { try state(again, in: history) == .succeeded }
    }
  }
}
