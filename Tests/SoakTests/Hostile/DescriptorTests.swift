import CWorkerMonitor
import Foundation
import Testing

extension Soak {
  @Suite("Descriptors are not leaked, inherited or taken for granted") struct DescriptorTests {
    @Test("three hundred operations leave no descriptor behind")
    func leaks() async throws {
      let scratch = try Scratch()
      // Covers each kind of input and output: a file, a value in memory, a masking pipe, a failure, a missing program, a timeout.
      var lines = ["concurrency: 1", "order: chain", "secrets: { token: { env: TOKEN } }", "operations:"]
      for index in 0..<300 {
        if index == 30 || index == 299 {
          lines.append("  - { name: count\(index), run: ls /proc/$PPID/fd | wc -l, result: int, when: always() }")
        }
        let action =
          switch index % 6 {
          case 0: "run: echo hello"
          case 1: "stdin: hello, run: cat"
          case 2: "env: { T: \"${{ secrets.token }}\" }, run: echo $T"
          case 3: "run: exit 3, allow_failure: true"
          case 4: "command: [/no/such/program], allow_failure: true"
          default: "run: sleep 5, timeout: 1ms, allow_failure: true"
          }
        lines.append("  - { name: o\(index), \(action) }")
      }
      let tool = Tool(scratch: scratch, environment: ["TOKEN": "hidden-token"])
      let ending = try await tool.run(pipeline: lines.joined(separator: "\n"), "--quiet")
      #expect(ending.code == 0, ending.summary)
      let outcomes = try tool.outcomes()
      #expect(outcomes["count30"]?.hasPrefix("succeeded") == true)
      // A few may vary: processes prepared in advance and the watch of the workspace. One leak per operation would be 269.
      let counts = ["count30", "count299"].compactMap { outcomes[$0]?.split(separator: " ").last.flatMap { Int($0) } }
      #expect(
        counts.count == 2 && counts[1] <= counts[0] + 10,
        "\(outcomes["count30"] ?? "") then \(outcomes["count299"] ?? "")")
      try tool.expectRest()
    }

    @Test("a process has only its three standard descriptors, whatever the host inherited")
    func inherited() async throws {
      let scratch = try Scratch()
      let preparation = "exec 3</dev/null 4>/dev/null 7</etc/passwd 9>&1"
      let tool = Tool(scratch: scratch, environment: ["TOKEN": "hidden-token"], preparation: preparation)
      let ending = try await tool.run(
        pipeline: """
          secrets: { token: { env: TOKEN } }
          operations:
            - { name: plain, command: [ls, /proc/self/fd], result: string }
            - { name: input, stdin: hello, command: [ls, /proc/self/fd], result: string }
            - { name: masked, env: { T: "${{ secrets.token }}" }, command: [ls, /proc/self/fd], result: string }
          """, "--quiet")
      #expect(ending.code == 0, ending.summary)
      for (name, outcome) in try tool.outcomes() {
        // The fourth is the directory that `ls` reads.
        #expect(outcome == #"succeeded - "0\n1\n2\n3""#, "\(name)")
      }
    }

    @Test(
      "a host without standard descriptors does not mix up its files and its output",
      arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func closedStandardDescriptors(_ closing: String) async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch, environment: ["TOKEN": "hidden-token"], preparation: "exec \(closing)")
      let ending = try await tool.run(
        pipeline: """
          secrets: { token: { env: TOKEN } }
          operations:
            - { name: plain, run: echo out; echo err >&2, result: string }
            - { name: input, stdin: hello, run: cat, result: string }
            - { name: masked, env: { T: "${{ secrets.token }}" }, run: echo $T, result: string }
            - { name: failed, run: echo why >&2; exit 1 }
            - { name: after, when: always(), inject: { x: "${{ results.plain }}" }, needs: [failed], run: 'echo "$x"', result: string }
          """)
      #expect(ending.code == 1, ending.summary)
      let outcomes = try tool.outcomes()
      #expect(outcomes["plain"] == #"succeeded - "out""#)
      #expect(outcomes["input"] == #"succeeded - "hello""#)
      #expect(outcomes["masked"] == #"succeeded - "***""#)
      #expect(outcomes["failed"] == "failed exit -")
      #expect(outcomes["after"] == #"succeeded - "out""#)
      let logs = try HistoryProbe(tool.workspacePath).rows(
        "SELECT operation, stderr_file FROM attempts WHERE stderr_file IS NOT NULL")
      for row in logs {
        #expect(contents(of: "\(tool.workspacePath)/\(row[1])") == (row[0] == "plain" ? "err\n" : "why\n"))
      }
      try tool.expectRest()
    }

    @Test(
      "a few descriptors suffice, and too few are reported",
      arguments: [4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32])
    func scarce(_ limit: Int) async throws {
      let scratch = try Scratch()
      var tool = Tool(scratch: scratch, preparation: "ulimit -n \(limit)", limit: .seconds(60))
      let operations = (0..<12).map { "  - { name: o\($0), stdin: hello, run: sleep 0.05; cat }" }
      let ending = try await tool.run(
        pipeline: "concurrency: 12\noperations:\n" + operations.joined(separator: "\n"), "--quiet")
      #expect(!ending.overran, "it hangs; \(ending.summary.rawValue)")
      // With almost none, the system itself cannot start the tool: 127.
      #expect([0, 3, 127].contains(ending.code), ending.summary)
      if ending.code == 3 { #expect(ending.error.contains("ulimit"), "says what to do; \(ending.summary.rawValue)") }
      guard contents(of: tool.workspacePath + "/workspace.db")?.isEmpty == false, ending.code != 127 else { return }
      // The recorded history is intact, and a host with enough descriptors continues it.
      tool.preparation = nil
      guard let run = try? HistoryProbe(tool.workspacePath).value("SELECT id FROM runs") else { return }
      if ending.code == 3 {
        let state = try HistoryProbe(tool.workspacePath).value("SELECT state FROM runs")
        let rest = try await tool.run(state == "failed" ? "retry" : "resume", run, "--quiet")
        #expect(rest.code == 0, rest.summary)
      }
      try tool.expectRest()
    }

    @Test("a process without descriptors that has more work than threads continues")
    func workWithoutDescriptors() async {
      await #expect(processExitsWith: .success) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = 0
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // libdispatch checks its threads once a second while work is waiting for one.
        for _ in 0..<1000 { DispatchQueue.global().async { sleep(4) } }
        sleep(3)
      }
    }
  }
}
