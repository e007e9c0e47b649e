import Testing

extension Soak {
  @Suite("No process outlives its run") struct LeftoverTests {
    @Test(
      "background processes of operations are terminated with the run",
      arguments: [
        "sleep 1000 >/dev/null 2>&1 &", "sleep 1000 &", "setsid sleep 1000 >/dev/null 2>&1 &",
        "(trap '' TERM HUP; while :; do sleep 0.2; done) >/dev/null 2>&1 &", "(setsid sleep 1000 &) >/dev/null 2>&1",
      ])
    func background(_ command: String) async throws {
      let tool = Tool(scratch: try Scratch(), limit: .seconds(60))
      let ending = try await tool.run(
        pipeline: """
          operations:
            - name: leaves
              run: |
                \(command)
                echo done
              result: string
          """, "--quiet")
      #expect(ending.code == 0, ending.summary)
      #expect(try tool.outcomes()["leaves"] == #"succeeded - "done""#)
      try tool.expectRest()
    }

    @Test(
      "a process that hides its environment is terminated with the run if it stays in its session",
      arguments: ["env -i", "env -i sh -c 'sleep 1000; true'"])
    func hidden(_ prefix: String) async throws {
      let tool = Tool(scratch: try Scratch(), limit: .seconds(60))
      let ending = try await tool.run(
        pipeline: """
          operations:
            - { name: leaves, run: "\(prefix) sleep 1000 >/dev/null 2>&1 & echo $!", result: int }
          """, "--quiet")
      #expect(ending.code == 0, ending.summary)
      let pid = try #require(try tool.outcomes()["leaves"]?.split(separator: " ").last.flatMap { Int32($0) })
      #expect(!RunningProcesses.isRunning(pid))
      try tool.expectRest()
    }

    @Test("the host reaps processes left behind, so that no zombies remain")
    func zombies() async throws {
      let tool = Tool(scratch: try Scratch(), limit: .seconds(60))
      let count = #"cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z $PPID " || true"#
      let ending = try await tool.run(
        pipeline: """
          order: chain
          operations:
            - { name: leaves, run: "for i in 1 2 3 4 5; do (true &); done; sleep 0.3" }
            - { name: left, run: '\(count)', result: int }
          """, "--quiet")
      #expect(ending.code == 0, ending.summary)
      #expect(try tool.outcomes()["left"] == "succeeded - 0")
      try tool.expectRest()
    }

    @Test("a process that ignores SIGTERM is killed after its grace period")
    func deaf() async throws {
      let tool = Tool(scratch: try Scratch(), limit: .seconds(60))
      let deaf = "trap '' TERM; while :; do sleep 0.05; done"
      let ending = try await tool.run(
        pipeline: """
          operations:
            - { name: alone, run: "\(deaf)", timeout: 200ms, grace: 300ms }
            - { name: with-child, run: "(\(deaf)) & wait", timeout: 200ms, grace: 300ms }
            - { name: stopped, run: "kill -STOP $$", timeout: 200ms, grace: 300ms }
          """, "--quiet")
      #expect(ending.code == 1, ending.summary)
      let outcomes = try tool.outcomes()
      for name in ["alone", "with-child", "stopped"] { #expect(outcomes[name] == "failed timeout -", "\(name)") }
      let rows = try HistoryProbe(tool.workspacePath).rows("SELECT operation, duration_ms FROM attempts")
      for row in rows where row[0] != "stopped" { #expect((Double(row[1]) ?? 0) >= 490, "\(row)") }
      for row in rows { #expect((Double(row[1]) ?? .infinity) < 20_000, "\(row)") }
      try tool.expectRest()
    }
  }
}
