import Foundation
import RunHistory
import Testing

@Suite("Conditions of a served pipeline")
struct ConditionTests {
  private static let value = "operations: [{ name: a, value: 1 }]"

  private func touch(_ name: String, in bench: ServerBench) {
    #expect(FileManager.default.createFile(atPath: bench.folder + "/" + name, contents: nil))
  }

  @Test("runs a pipeline whose condition turns true, and records the condition")
  func condition() async throws {
    let bench = try ServerBench()
    try bench.write(
      "automatic: file-exists(flag)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      #expect(try history.occasions().isEmpty)
      #expect(FileManager.default.createFile(atPath: bench.folder + "/flag", contents: nil))
      try await eventually { try history.runs(RunFilter(states: [.succeeded])).count == 1 }
      let occasion = try #require(try history.occasions().first)
      #expect((occasion.cause, occasion.detail) == (.condition, "file-exists(flag)"))
    }
    // To be served again is no reason to run again.
    try await bench.serve { _, history in
      try bench.start("one", in: history)
      try await eventually { try history.runs(RunFilter(states: [.succeeded])).count == 2 }
      #expect(try history.occasions().map(\.cause) == [.request, .condition])
    }
  }

  @Test("whose run is cancelled in the queue may come true again")
  func cancelledInQueue() async throws {
    let bench = try ServerBench { $0.runs = 1 }
    try bench.write(
      "operations: [{ name: a, run: 'until [ -e \(bench.directory)/go ]; do sleep 0.01; done' }]", to: "busy")
    try bench.write("rerun_on_change: file-exists(flag)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      let busy = try bench.start("busy", in: history)
      try await eventually { try history.run(busy)?.state == .running }
      touch("flag", in: bench)
      try await eventually { try history.queue().map(\.pipeline) == ["one"] }
      let queued = try #require(try history.queue().first?.run)
      _ = try history.request(.cancel, of: queued, for: RunCanceller(who: "ada", means: .command))
      try await eventually { try history.run(queued)?.state == .cancelled }
      try FileManager.default.removeItem(atPath: bench.folder + "/flag")
      #expect(FileManager.default.createFile(atPath: bench.directory + "/go", contents: nil))
      try await eventually { try history.run(busy)?.state == .succeeded }
      touch("flag", in: bench)
      try await eventually { try history.runs(RunFilter(pipeline: "one", states: [.succeeded])).count == 1 }
    }
  }

  @Test("that come true while `automatic` is false are recorded with that as the reason")
  func notAutomatic() async throws {
    let bench = try ServerBench()
    try bench.write("automatic: file-exists(allowed)\nrerun_on_change: file-exists(flag)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      touch("flag", in: bench)
      try await eventually { try history.occasions().count == 1 }
      let occasion = try #require(try history.occasions().first)
      #expect((occasion.cause, occasion.outcome, occasion.reason) == (.condition, .skipped, .notAutomatic))
      #expect(occasion.detail == "file-exists(flag); automatic: file-exists(allowed) is false")
      #expect(try history.runs(RunFilter()).isEmpty)
    }
  }

  @Test("that come true while a success of a former host is good enough are recorded with that as the reason")
  func notStale() async throws {
    let bench = try ServerBench()
    try bench.write("rerun_on_change: file-exists(flag)\nstale_when: older-than(1h)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      try await eventually { try history.run(run)?.state == .succeeded }
    }
    try await bench.serve { _, history in
      touch("flag", in: bench)
      try await eventually { try history.occasions().count == 2 }
      let occasion = try #require(try history.occasions().first)
      #expect((occasion.cause, occasion.outcome, occasion.reason) == (.condition, .skipped, .notStale))
      #expect(occasion.detail == "file-exists(flag); stale_when: older-than(1h) is false of the latest success")
      #expect(try history.runs(RunFilter()).count == 1)
    }
  }
}
