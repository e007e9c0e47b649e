import Foundation
import PipelineService
import RunHistory
import Server
import Testing

@Suite("Slots of runs that wait for resources", .timeLimit(.minutes(1))) struct ResourcePlaceTests {
  /// Which runs ask, with their operations.
  private func nested(in history: History) throws -> [(run: RunID, operation: String)] {
    try history.runs(RunFilter(states: [.running], includesNested: true)).flatMap { run in
      try history.pendingApprovals(run.id).map { (run.id, $0.operation) }
    }
  }

  @Test("are free for the run that holds the resource and needs a slot")
  func held() async throws {
    let bench = try ServerBench([
      "a": "{ resources: { gpu: 1 }, operations: [{ name: outer, resources: { gpu: 1 }, pipeline: _inner.yaml }] }",
      "b": "{ resources: { gpu: 1 }, operations: [{ name: work, resources: { gpu: 1 }, run: 'true' }] }",
      "c": "operations: [{ name: work, run: 'true' }]",
      "_inner":
        "operations: [{ name: ask, approve: 'go on?' }, { name: work, needs: ask, run: 'true' }]",
    ]) {
      $0.limits.runs = 1
      $0.service.capacity.resources = ["gpu": 1]
    }
    try await bench.serve { _, history in
      let first = try bench.start("a", in: history)
      try await eventually { try !nested(in: history).isEmpty }
      // It has the place that the first one gives back, and waits for the resource.
      let second = try bench.start("b", in: history)
      try await eventually { try history.operations(of: second).contains { $0.state == .waiting } }
      let third = try bench.start("c", in: history)
      try await eventually { try history.run(third)?.state == .succeeded }
      let question = try #require(try nested(in: history).first)
      _ = try history.answerApproval(
        question.run, operation: question.operation, approved: true, note: nil, who: "ann")
      try await eventually { try history.run(first)?.state == .succeeded }
      try await eventually { try history.run(second)?.state == .succeeded }
    }
  }
}
