import Dispatch
import PluginHost
import RunReports
import Testing

@Suite("A plugin that hangs while a file is loaded")
struct HangingPluginTests {
  @Test("is reported with the file, until it returns")
  func reported() async throws {
    let returns = DispatchSemaphore(value: 0)
    let plugin = try FakePlugin(
      "tick", offers: [["id": "tick.tock", "kind": "controller", "settings": []]],
      refusal: { _, _ in
        _ = returns.wait(timeout: .now() + 30)
        return nil
      })
    let bench = try ServerBench(
      plugins: .catalog(FakeCatalog([plugin])), ["one": "operations: [{ name: a, value: 1 }]"])
    try await bench.serve { _, history in
      func problems() throws -> [String] { try StatusReport(of: ["one"], in: history).problems }
      #expect(try problems() == [])
      try bench.write("controllers: [{ uses: tick.tock }]\noperations: [{ name: a, value: 1 }]", to: "two")
      try await eventually { try !problems().isEmpty }
      let words =
        "'\(bench.folder)/two.yaml' is still being loaded; probably a plugin that it uses hangs, and no changed file takes effect until it returns"
      #expect(try problems() == [words])
      #expect(bench.log.contains { $0.hasSuffix(words) })
      for _ in 0..<10 { returns.signal() }
      try await eventually { try history.publishedPipelines().count == 2 }
      try await eventually { try problems().isEmpty }
    }
  }
}
