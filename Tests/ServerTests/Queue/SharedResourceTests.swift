import Foundation
import PipelineEngine
import PipelineLanguage
import PipelineService
import RunHistory
import Testing
import Workspace

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

  @Test("are waited for by runs of other processes, and by its own for theirs")
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

  @Test("are never more than there is, which the operation says that wants it")
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
      #expect(error.message.contains("needs 2 of the resource 'gpu', of which the host of this workspace has 1"))
      try await other.close()
    }
  }
}
