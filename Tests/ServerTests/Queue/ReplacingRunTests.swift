import Foundation
import PipelineService
import RunHistory
import Server
import Testing

@Suite("A run that takes the place of another one", .timeLimit(.minutes(2))) struct ReplacingRunTests {
  @Test("does so where that has the only place of the host")
  func onlyPlace() async throws {
    let bench = try ServerBench(["one": "overlap: cancel\noperations: [{ name: a, run: exec sleep 600 }]"]) {
      $0.runs = 1
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

  @Test("does so also where that has not begun yet, as it reads a secret")
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
}
