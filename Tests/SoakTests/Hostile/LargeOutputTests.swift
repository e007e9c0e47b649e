import Testing

extension Soak {
  @Suite("Output of any size does not pass through the host's memory") struct LargeOutputTests {
    @Test("output is never held in memory, neither when it is produced nor when it is injected")
    func memory() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch, limit: .seconds(600))
      let size = Soak.count(full: 1 << 30, short: 64 << 20)
      let ending = try await tool.run(
        pipeline: """
          operations:
            - { name: large, run: head -c \(size) /dev/zero }
            - { name: text, run: "yes | head -c \(size)", result: string }
            - { name: noisy, run: "yes | head -c \(size) >&2", result: none }
            - { name: count, inject: large, run: wc -c, result: int }
            - { name: again, inject: text, run: cat, result: none }
            - name: peak
              needs: [noisy, count, again]
              run: sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\) kB/\\1/p' /proc/$PPID/status
              result: int
          """, "--quiet")
      #expect(ending.code == 0, ending.summary)
      let outcomes = try tool.outcomes()
      #expect(outcomes["large"] == "succeeded - file")
      #expect(outcomes["text"] == "succeeded - file")
      #expect(outcomes["count"] == "succeeded - \(size)")
      let peak = try #require(outcomes["peak"]?.split(separator: " ").last.flatMap { Int($0) })
      #expect(peak < 120 << 10, "the host took \(peak) KiB")
      try tool.expectRest()
    }
  }
}
