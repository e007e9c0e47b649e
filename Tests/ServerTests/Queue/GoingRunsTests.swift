import PipelineEngine
import RunHistory
import Testing

@testable import Server

@Suite("The runs that a dispatcher has begun")
struct GoingRunsTests {
  private static let limits = Dispatcher.Limits(runs: 4, queues: ["default": 3, "heavy": 1])
  private let start = RecordTime(microseconds: 1_700_000_000_000_000)

  private func run(_ pipeline: String, _ queue: String, _ place: RunPlace) -> GoingRuns.Run {
    GoingRuns.Run(pipeline: pipeline, queue: queue, isTaken: true, place: place, task: Task {})
  }

  private func withHost(_ body: (RunHost) throws -> Void) async throws {
    let host = try ServerBench().server().service.host
    try body(host)
    try await host.close()
  }

  @Test("leave the other slots free, of the host and of each queue")
  func places() async throws {
    try await withHost { host in
      var going = GoingRuns()
      let (first, second, third) = (RunID.generate(), RunID.generate(), RunID.generate())
      going.add(first, run("a", "default", host.place(isHeld: true) {}), startBy: nil)
      going.add(second, run("b", "heavy", host.place(isHeld: true) {}), startBy: nil)
      let wanted = host.place(isHeld: false) {}
      going.add(third, run("c", "default", wanted), startBy: nil)
      #expect(going.free(of: Self.limits) == QueueTurns.Places(total: 2, queues: ["default": 2, "heavy": 0]))
      wanted.grant()
      going.notePlace(of: third)
      going.notePlace(of: third)
      #expect(going.free(of: Self.limits) == QueueTurns.Places(total: 1, queues: ["default": 1, "heavy": 0]))
      for run in [first, second, third, third] { going.remove(run) }
      #expect(going.free(of: Self.limits) == QueueTurns.Places(total: 4, queues: ["default": 3, "heavy": 1]))
      // A queue that is not declared has no limit of its own.
      going.add(first, run("a", "gone", host.place(isHeld: true) {}), startBy: nil)
      #expect(going.free(of: Self.limits) == QueueTurns.Places(total: 3, queues: ["default": 3, "heavy": 1]))
    }
  }

  @Test("are found by their pipelines, even if the definitions of these change meanwhile")
  func pipelines() async throws {
    try await withHost { host in
      var going = GoingRuns()
      let ids = (0..<3).map { _ in RunID.generate() }
      going.setOverlap(single: ["a"], replacing: ["b"])
      for (id, pipeline) in zip(ids, ["a", "a", "b"]) {
        going.add(id, run(pipeline, "default", host.place(isHeld: true) {}), startBy: nil)
      }
      #expect(going.runs(of: "a") == ids[..<2].sorted())
      #expect(going.singleGoing == ["a"] && going.replaceable == [ids[2]])
      going.remove(ids[0])
      #expect(going.singleGoing == ["a"])
      going.setOverlap(single: ["b"], replacing: ["a"])
      #expect(going.singleGoing == ["b"] && going.replaceable == [ids[1]])
      for id in ids { going.remove(id) }
      #expect(going.singleGoing == [] && going.replaceable == [] && going.runs(of: "a") == [])
    }
  }

  @Test("are reported as too late once, unless they have begun")
  func late() async throws {
    try await withHost { host in
      var going = GoingRuns()
      let ids = (0..<3).map { _ in RunID.generate() }
      for (id, delay) in zip(ids, [10, 20, 30]) {
        going.add(
          id, run("a", "default", host.place(isHeld: true) {}), startBy: start.advanced(by: Int64(delay)))
      }
      #expect(going.nextStartBy == start.advanced(by: 10))
      // At the time itself it may still begin.
      #expect(going.takeLate(at: start.advanced(by: 10)) == [])
      going.noteBeginning(of: ids[0])
      #expect(going.takeLate(at: start.advanced(by: 25)) == [ids[1]])
      #expect(going.takeLate(at: start.advanced(by: 25)) == [])
      #expect(going.nextStartBy == start.advanced(by: 30))
      going.remove(ids[2])
      #expect(going.nextStartBy == nil && going.count == 2)
    }
  }
}
