import Foundation
import Testing

extension Soak {
  @Suite("A host finds what a killed one left behind") struct ResumeTests {
    @Test("result files of a former host are never overwritten")
    func resultFiles() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch, limit: .seconds(60))
      // More than one mebibyte, so that the results are in files that the engine creates and numbers.
      let large = { (letter: String) in String(repeating: letter, count: 1_200_000) }
      let file = try scratch.write(
        """
        operations:
          - { name: first, value: \(large("a")) }
          - { name: second, value: \(large("b")), needs: [first] }
          - { name: pause, needs: [second], wait: 600ms }
          - { name: third, needs: [pause], value: \(large("c")) }
          - { name: fourth, needs: [third], value: \(large("d")) }
        """, to: "pipeline.yaml")
      let killed = try await tool.run("run", file, "--quiet") { [path = tool.workspacePath] _, send in
        _ = await eventually {
          guard FileManager.default.fileExists(atPath: path + "/workspace.db"), let probe = try? HistoryProbe(path)
          else { return false }
          return (try? probe.value("SELECT state FROM operations WHERE operation = 'pause'")) == "waiting"
        }
        send(.kill)
      }
      #expect(killed.signal == SIGKILL, killed.summary)
      let resumed = try await tool.run("resume", "--quiet")
      #expect(resumed.code == 0, resumed.summary)
      let rows = try HistoryProbe(tool.workspacePath).rows(
        "SELECT operation, result_file FROM operations WHERE result_file IS NOT NULL")
      #expect(rows.count == 4)
      for (row, letter) in zip(rows, ["a", "b", "c", "d"]) {
        #expect(contents(of: "\(tool.workspacePath)/\(row[1])") == "\"\(large(letter))\"", "\(row[0])")
      }
      try tool.expectRest()
    }

    @Test("processes that outlive their host are terminated before their operation runs again")
    func orphans() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch, limit: .seconds(60))
      let file = try scratch.write(
        """
        operations:
          - name: long
            run: |
              echo "$$" >>began
              if [ "$PENSTOCK_ATTEMPT" = 1 ]; then sleep 1000; fi
              echo "$PENSTOCK_ATTEMPT"
            result: int
        """, to: "pipeline.yaml")
      let killed = try await tool.run("run", file, "--quiet") { [path = tool.workspacePath] _, send in
        _ = await eventually {
          guard FileManager.default.fileExists(atPath: path + "/workspace.db"), let probe = try? HistoryProbe(path)
          else { return false }
          return (try? probe.value("SELECT state FROM attempts")) == "running"
        }
        send(.kill)
      }
      #expect(killed.signal == SIGKILL, killed.summary)
      let orphan = try #require(contents(of: scratch("began"))?.split(separator: "\n").first.flatMap { Int32($0) })
      #expect(RunningProcesses.isRunning(orphan), "the orphan was to be there when resume comes")
      let resumed = try await tool.run("resume", "--quiet")
      #expect(resumed.code == 0, resumed.summary)
      #expect(!RunningProcesses.isRunning(orphan))
      #expect(try tool.outcomes()["long"] == "succeeded - 2")
      let attempts = try HistoryProbe(tool.workspacePath).rows(
        "SELECT number, state, error_code FROM attempts ORDER BY number")
      #expect(attempts == [["1", "failed", "host-died"], ["2", "succeeded", ""]])
      try tool.expectRest()
    }
  }
}
