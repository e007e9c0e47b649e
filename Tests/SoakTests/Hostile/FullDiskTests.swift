import Foundation
import Testing

extension Soak {
  @Suite("A full disk stops a run with a clear error, and nothing is lost") struct FullDiskTests {
    /// A chain of operations whose results fill the history; side effects go to another disk.
    private static let pipeline = """
      order: chain
      operations:
      """
      + (0..<40).map { index in
        """

          - name: o\(index)
            run: echo "$PENSTOCK_ATTEMPT" >>"$EFFECTS/o\(index)"; head -c 60000 /dev/zero | tr '\\0' x
            result: string
        """
      }.joined()

    @Test("a disk that fills up during a run", .enabled("no disk may be mounted") { try await SmallDisk.isPossible })
    func fullDisk() async throws {
      let scratch = try Scratch()
      let disk = try #require(await SmallDisk(scratch("disk"), size: "2m"))
      do {
        try await fill(scratch, workspace: disk.path + "/space", preparation: nil)
        try await disk.unmount()
      } catch {
        try await disk.unmount()
        throw error
      }
    }

    @Test("a limit on file sizes")
    func fileSizeLimit() async throws {
      // In units of 512 bytes, as POSIX shells count.
      try await fill(try Scratch(), workspace: "space", preparation: "ulimit -f 1500")
    }

    private func fill(_ scratch: Scratch, workspace: String, preparation: String?) async throws {
      let effects = try scratch.directory("effects")
      var tool = Tool(
        scratch: scratch, workspace: workspace, environment: ["EFFECTS": effects], preparation: preparation)
      let ending = try await tool.run(pipeline: Self.pipeline, "--quiet")
      #expect(!ending.overran && ending.signal == nil, ending.summary)
      #expect(ending.code == 3 || ending.code == 1, ending.summary)
      #expect(
        ending.error.contains("full") || ending.error.contains("large") || ending.error.contains("space"),
        ending.summary)

      // The limit is lifted; a full disk is relieved by moving the workspace to a larger one.
      tool.preparation = nil
      if workspace.hasPrefix("/") {
        try FileManager.default.copyItem(atPath: workspace, toPath: scratch("moved"))
        tool.workspace = "moved"
      }
      let probe = try HistoryProbe(tool.workspacePath)
      #expect(try probe.breaches() == [])
      let run = try #require(try probe.value("SELECT id FROM runs"))
      let durable = try probe.rows("SELECT operation FROM operations WHERE state = 'succeeded'").map { $0[0] }
      #expect(durable.count > 2 && durable.count < 40)
      let before = durable.map { contents(of: "\(effects)/\($0)") }

      _ = try await tool.run("history", "list", "--quiet")
      let state = try await interruptedOrFailed(run, tool)
      let resumed = try await tool.run(state == "interrupted" ? "resume" : "retry", run, "--quiet")
      #expect(resumed.code == 0, resumed.summary)
      #expect(durable.map { contents(of: "\(effects)/\($0)") } == before, "a durable success ran again")
      for index in 0..<40 { #expect(contents(of: "\(effects)/o\(index)") != nil) }
      try tool.expectRest()
    }

    private func interruptedOrFailed(_ run: String, _ tool: Tool) async throws -> String {
      let recorded = try HistoryProbe(tool.workspacePath).value("SELECT state FROM runs WHERE id = '\(run)'") ?? ""
      // The next host notices one that could not record its end.
      return recorded == "failed" ? "failed" : "interrupted"
    }
  }
}
