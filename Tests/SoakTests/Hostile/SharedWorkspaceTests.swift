import Testing

extension Soak {
  @Suite("Several hosts may use one workspace at once") struct SharedWorkspaceTests {
    @Test("eight hosts on a workspace that does not exist yet lose nothing and keep exclusive operations apart")
    func eightHosts() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch)
      var lines = ["concurrency: 3", "operations:"]
      for index in 0..<20 { lines.append("  - { name: v\(index), value: \(index), result: int }") }
      for index in 0..<6 {
        lines.append("  - { name: p\(index), stdin: \"${{ results.v\(index) }}\", run: cat, result: int }")
      }
      // `mkdir` fails if another process runs this operation at the same time.
      lines.append("  - { name: alone, exclusive: desk, run: mkdir desk; sleep 0.02; rmdir desk, result: none }")
      let file = try scratch.write(lines.joined(separator: "\n"), to: "pipeline.yaml")
      let rounds = Soak.count(full: 10, short: 1)
      for _ in 0..<rounds {
        try await withThrowingTaskGroup(of: Tool.Ending.self) { group in
          for _ in 0..<8 { group.addTask { try await tool.run("run", file, "--quiet") } }
          for try await ending in group { #expect(ending.code == 0, ending.summary) }
        }
      }
      let probe = try HistoryProbe(tool.workspacePath)
      #expect(try probe.value("SELECT count(*) FROM runs WHERE state = 'succeeded'") == "\(8 * rounds)")
      #expect(try probe.value("SELECT count(*) FROM operations WHERE state = 'succeeded'") == "\(8 * 27 * rounds)")
      #expect(try probe.value("SELECT count(*) FROM attempts WHERE state = 'succeeded'") == "\(8 * 27 * rounds)")
      #expect(
        try probe.value("SELECT count(*) FROM operations WHERE operation LIKE 'p%' AND result <> substr(operation, 2)")
          == "0")
      #expect(try probe.value("SELECT count(*) FROM leases") == "0")
      try tool.expectRest()
    }
  }
}
