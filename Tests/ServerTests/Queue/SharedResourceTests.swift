import Foundation
import PipelineLanguage
import PipelineService
import RunHistory
import Testing
import Workspace

@testable import PipelineEngine
@testable import Server

@Suite("Resources of a host")
struct SharedResourceTests {
  private static func text(in directory: String) -> String {
    """
    resources: { gpu: 1 }
    operations:
      - name: work
        resources: { gpu: 1 }
        run: 'until [ -e \(directory)/$PENSTOCK_RUN_ID ]; do sleep 0.01; done'
    """
  }

  private func end(_ run: RunID, in bench: ServerBench) {
    _ = FileManager.default.createFile(atPath: "\(bench.directory)/\(run.text)", contents: nil)
  }

  private func held(in history: History) throws -> Int64? {
    let row: [SQLValue]? = try history.sql("SELECT held FROM resources").next()
    guard case .int(let held)? = row?[0] else { return nil }
    return held
  }

  @Test("are shared with other processes: runs of each wait for those of the other")
  func others() async throws {
    let bench = try ServerBench { $0.service.capacity.resources = ["gpu": 1] }
    try bench.write(Self.text(in: bench.directory), to: "one")
    try await bench.serve { _, history in
      let first = try bench.start("one", in: history)
      try await eventually { try history.operations(of: first).first?.state == .running }
      #expect(try held(in: history) == 1)
      #expect(try history.holders(ofResources: ["GPU"]).map(\.run) == [first])
      // As another process has it: a host of its own on the same workspace.
      let other = try RunHost.open(workspace: bench.directory + "/workspace", durability: .process)
      let loaded = PipelineLoader.load(text: Self.text(in: bench.directory), path: "other.yaml")
      let pipeline = try #require(loaded.pipeline)
      let running = Task { try await other.run(pipeline, options: RunOptions()) }
      var second: RunRecord?
      try await eventually {
        second = try history.runs(RunFilter(pipeline: "other")).first
        guard let second else { return false }
        let work = try history.operations(of: second.id).first
        return work?.state == .waiting && work?.reason == "resources"
      }
      let third = try bench.start("one", in: history)
      end(first, in: bench)
      let id = try #require(second?.id)
      try await eventually {
        try [id, third].contains { try history.operations(of: $0).first?.state == .running }
      }
      #expect(try held(in: history) == 1)
      end(id, in: bench)
      end(third, in: bench)
      #expect(try await running.value.run.state == .succeeded)
      try await eventually { try history.run(third)?.state == .succeeded }
      try await eventually { try held(in: history) == 0 }
      try await other.close()
    }
  }

  @Test("do not wake up hosts that wait for them")
  func patience() async throws {
    let bench = try ServerBench { $0.service.capacity.resources = ["gpu": 1] }
    try bench.write(Self.text(in: bench.directory), to: "one")
    try await bench.serve { server, history in
      // Another process has it, which is this one's parent.
      let other = try #require(ProcessIdentity.running(pid: getppid()))
      let holder = RunID.generate()
      let outcome = try await history.workspace.write { db in
        try ResourceHolds.take([.init("gpu", 1)], for: holder, operation: "train", owner: other, at: .now, in: db)
          .outcome
      }
      guard case .granted(let holds) = outcome else {
        Issue.record("it is not free")
        return
      }
      let runs = try (0..<3).map { _ in try bench.start("one", in: history) }
      try await eventually {
        try runs.allSatisfy { try history.operations(of: $0).first?.reason == "resources" }
      }
      let (host, looks) = (server.service.host, 200)
      let before = host.services.recorder.progress.transactions
      for _ in 0..<looks { await host.awaitWriter() }
      let asked = host.services.recorder.progress.transactions - before - looks
      #expect(asked < 20, "they have asked \(asked) times while nothing changed")
      try await history.workspace.write { try ResourceHolds.release(holds, in: $0) }
      history.workspace.announce()
      // In whatever order they get it.
      for run in runs { end(run, in: bench) }
      for run in runs { try await eventually { try history.run(run)?.state == .succeeded } }
    }
  }

  @Test("are never over-allocated, and an operation that needs more reports it")
  func exceeded() async throws {
    let bench = try ServerBench { $0.service.capacity.resources = ["gpu": 1] }
    try await bench.serve { _, history in
      let other = try RunHost.open(workspace: bench.directory + "/workspace", durability: .process)
      let loaded = PipelineLoader.load(
        text: "resources: { gpu: 4 }\noperations: [{ name: work, resources: { gpu: 2 }, run: 'true' }]",
        path: "other.yaml")
      let outcome = try await other.run(try #require(loaded.pipeline), options: RunOptions())
      let error = try #require(try history.operations(of: outcome.run.id).first?.error)
      #expect(error.code == "capacity-exceeded")
      #expect(
        error.message.hasSuffix(
          "needs 2 of the resource 'gpu', but the host of this workspace has only 1; lower 'resources' of the operation, or raise 'gpu' in the configuration of the host"
        ))
      try await other.close()
    }
  }
}
