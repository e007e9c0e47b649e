import Foundation
import PipelineService
import RunHistory
import RunReports
import Server
import Testing

@Suite("A run that replaces another one", .timeLimit(.minutes(2))) struct ReplacingRunTests {
  @Test("begins even if the other run has the only slot of the host")
  func onlyPlace() async throws {
    let bench = try ServerBench(["one": "overlap: cancel\noperations: [{ name: a, run: exec sleep 600 }]"]) {
      $0.limits.runs = 1
      $0.drain = .zero
    }
    try await bench.serve { _, history in
      let first = try bench.start("one", in: history)
      try await eventually { try history.operations(of: first).contains { $0.state == .running } }
      let second = try bench.start("one", in: history)
      try await eventually { try history.operations(of: second).contains { $0.state == .running } }
      let ended = try #require(try history.run(first))
      #expect(ended.state == .cancelled)
      #expect(ended.canceller?.means == .overlap)
    }
  }

  @Test("begins even if the other run has not begun yet because it reads a secret")
  func stillPreparing() async throws {
    let bench = try ServerBench()
    let read = "test -e \(bench.directory)/read || { touch \(bench.directory)/read; exec sleep 600; }; echo x"
    try bench.write(
      """
      overlap: cancel
      secrets: { key: { command: [sh, -c, "\(read)"] } }
      operations: [{ name: a, run: exec sleep 600 }]
      """, to: "one")
    try await bench.serve { _, history in
      let first = try bench.start("one", in: history)
      try await eventually { FileManager.default.fileExists(atPath: bench.directory + "/read") }
      let second = try bench.start("one", in: history)
      try await eventually { try history.operations(of: second).contains { $0.state == .running } }
      let ended = try #require(try history.run(first))
      #expect(ended.state == .cancelled)
      #expect(ended.canceller?.means == .overlap)
    }
  }

  @Test("waits for the end of the other run, and says so, until it replaces it or is itself replaced")
  func waiting() async throws {
    let bench = try ServerBench()
    try bench.write(
      """
      overlap: cancel
      operations:
        - name: a
          run: "trap '' TERM; touch \(bench.directory)/trapped; until [ -e \(bench.directory)/go ]; do sleep 0.05; done"
          grace: 20s
      """, to: "one")
    try await bench.serve { _, history in
      let first = try bench.start("one", in: history)
      try await eventually { FileManager.default.fileExists(atPath: bench.directory + "/trapped") }
      let second = try bench.start("one", in: history)
      let process = ProcessInfo.processInfo.processIdentifier
      let awaited =
        "its turn: run \(short(first, in: history)) in process \(process), which it replaces, is being cancelled"
      try await eventually {
        try QueueReport(run: second, in: history).places.map(\.reason) == [awaited]
          && history.queue().first { $0.run == second }?.isTaken == true
      }
      #expect(!bench.log.contains { $0.contains("run \(second) of 'one' begins") })
      let third = try bench.start("one", in: history)
      try await eventually { try history.run(second)?.state == .cancelled }
      let occasion = try #require(try history.occasions().first { $0.run == second })
      #expect((occasion.outcome, occasion.reason) == (.replaced, .overlap))
      let replaced = "skipped run \(second) of 'one': replaced by run \(third)"
      try await eventually { bench.log.contains { $0.hasSuffix(replaced) } }
      #expect(FileManager.default.createFile(atPath: bench.directory + "/go", contents: nil))
      try await eventually { try history.run(third)?.state == .succeeded }
      let begins = bench.log.filter { $0.contains(" begins") }
      #expect(begins.count == 2)
      #expect(begins.last?.contains("run \(third) of 'one'") == true)
    }
  }
}
