import Foundation
import Testing

extension Soak {
  @Suite("A read-only workspace can be read, but not run in") struct ReadOnlyTests {
    @Test(
      "a workspace on a disk that has become read-only",
      .enabled("no disk may be mounted") { try await SmallDisk.isPossible })
    func becomesReadOnly() async throws {
      let scratch = try Scratch()
      let disk = try #require(await SmallDisk(scratch("disk"), size: "8m"))
      do {
        try await use(scratch, workspace: disk.path + "/space") {
          let isReadOnly = try await disk.becomeReadOnly()
          #expect(isReadOnly)
        }
        try await disk.unmount()
      } catch {
        try await disk.unmount()
        throw error
      }
    }

    @Test("a workspace whose files cannot be written", .enabled(if: geteuid() != 0, "root may write everything"))
    func losesPermission() async throws {
      let scratch = try Scratch()
      try await use(scratch, workspace: "space") {
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch("space")) {
          chmod(scratch("space/" + name), 0o500)
        }
        chmod(scratch("space"), 0o500)
      }
      chmod(scratch("space"), 0o700)
    }

    private func use(_ scratch: Scratch, workspace: String, close: () async throws -> Void) async throws {
      let tool = Tool(scratch: scratch, workspace: workspace)
      let pipeline = "operations: [{ name: a, run: echo hello, result: string }]"
      #expect(try await tool.run(pipeline: pipeline, "--quiet").code == 0)
      try await close()
      let refused = try await tool.run(pipeline: pipeline, "--quiet")
      #expect(refused.code == 3, refused.summary)
      #expect(refused.error.contains("read-only") && refused.error.contains(workspace), refused.summary)
      let listed = try await tool.run("history", "sql", "SELECT count(*) AS n FROM runs", "--json")
      #expect(listed.output == "{\"n\":1}\n", listed.summary)
    }

    @Test(
      "places where no workspace can be created",
      arguments: ["/proc/space", "/dev/null/space", "pipeline.yaml", "/sys/kernel/space"])
    func impossible(_ workspace: String) async throws {
      let tool = Tool(scratch: try Scratch(), workspace: workspace)
      let ending = try await tool.run(pipeline: "operations: [{ name: a, run: touch ran }]", "--quiet")
      #expect(ending.code == 3, ending.summary)
      #expect(ending.error.contains(workspace), ending.summary)
      #expect(contents(of: tool.scratch("ran")) == nil, "it ran without a history")
    }
  }
}
