import Foundation
import PipelineLanguage
import RunHistory
import RunReports
import Server
import Testing

@Suite("Runs that wait for each other", .timeLimit(.minutes(2))) struct MutualWaitTests {
  @Test("are reported, with what each waits for, until one of them is cancelled")
  func circle() async throws {
    let bench = try ServerBench([
      "one": "operations: [{ name: a, exclusive: disk, pipeline: _parts/gpu.yaml }]",
      "two": "operations: [{ name: b, resources: { gpu: 1 }, pipeline: _parts/disk.yaml }]",
      "three": "operations: [{ name: c, exclusive: disk, run: 'true' }]",
    ]) { configuration in
      configuration.use(
        HostDefinition.load(text: "resources: { gpu: 1 }\ndrain: 0s", path: "host.yaml").host ?? HostDefinition())
    }
    try FileManager.default.createDirectory(atPath: bench.folder + "/_parts", withIntermediateDirectories: true)
    let (place, go) = (bench.directory, bench.directory + "/go")
    for (name, needs) in [("gpu", "resources: { gpu: 1 }"), ("disk", "exclusive: disk")] {
      try bench.write(
        "operations: [{ name: w, run: \"touch '\(place)/\(name)'; until test -e '\(go)'; do sleep 0.01; done\" }, { name: i, needs: w, \(needs), run: 'true' }]",
        to: "_parts/\(name)")
    }
    try await bench.serve { _, history in
      func words(_ run: RunID) throws -> String? {
        try MutualWaits(in: history, short: { short($0, in: history) }).words(of: run)
      }
      let (one, two) = (try bench.start("one", in: history), try bench.start("two", in: history))
      try await eventually {
        ["gpu", "disk"].allSatisfy { FileManager.default.fileExists(atPath: "\(place)/\($0)") }
      }
      // It waits for what a run has that ends.
      let three = try bench.start("three", in: history)
      try await eventually { try history.operations(of: three).contains { $0.state == .waiting } }
      #expect(try words(one) == nil && words(three) == nil)
      #expect(FileManager.default.createFile(atPath: go, contents: nil))
      try await eventually { try words(one) != nil }
      let (x, y) = (short(one, in: history), short(two, in: history))
      #expect(
        try words(one)
          == "it waits forever, because operations wait for each other: 'a/i' of run \(x) waits for gpu, which 'b' of run \(y) holds; 'b/i' of run \(y) waits for 'disk', which 'a' of run \(x) holds"
      )
      #expect(try words(two)?.contains("'b/i' of run \(y) waits for 'disk'") == true)
      try history.request(.cancel, of: one, for: RunCanceller(who: "ada", means: .command))
      try await eventually { try history.run(two)?.state == .succeeded && history.run(three)?.state == .succeeded }
      #expect(try words(two) == nil)
    }
  }
}
