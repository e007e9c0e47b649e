import Foundation
import Testing

extension Soak {
  @Suite("A host whose disk is full") struct FullHostDiskTests {
    /// Serves `pipeline` as `one` on its own disk, which `body` fills, then sends SIGTERM to the host and returns how it ended.
    private func end(
      _ pipeline: String, in scratch: Scratch,
      _ body: @escaping @Sendable (_ tool: Tool, _ fill: @Sendable () throws -> Void) async throws -> Void,
      afterwards: (_ tool: Tool) async throws -> Void
    ) async throws -> Tool.Ending {
      let disk = try #require(await SmallDisk(scratch("disk"), size: "4m"))
      do {
        let ending = try await serve(pipeline, in: scratch, on: disk, body, afterwards: afterwards)
        try await disk.unmount()
        return ending
      } catch {
        try await disk.unmount()
        throw error
      }
    }

    private func serve(
      _ pipeline: String, in scratch: Scratch, on disk: SmallDisk,
      _ body: @escaping @Sendable (_ tool: Tool, _ fill: @Sendable () throws -> Void) async throws -> Void,
      afterwards: (_ tool: Tool) async throws -> Void
    ) async throws -> Tool.Ending {
      var tool = Tool(scratch: scratch)
      tool.workspace = disk.path + "/space"
      try scratch.directory("pipelines")
      try scratch.write(pipeline, to: "pipelines/one.yaml")
      // Otherwise the host would wait for a run that cannot be recorded.
      try scratch.write("pipelines: [pipelines]\ndrain: 1s", to: "host.yaml")
      let (served, asked) = (ServedWorkspace(tool, effects: scratch.path), tool)
      let ending = try await tool.run("serve", "--config", "host.yaml") { pid, send in
        let isReady = await eventually { (try? served.isIdle(pid)) == true && (try? served.isServed("one")) == true }
        #expect(isReady)
        try await body(asked) { _ = try disk.fill() }
        send(.terminate)
      }
      try await afterwards(tool)
      return ending
    }

    @Test(
      "stops normally on SIGTERM if nothing is lost, and status does not report that it died",
      .enabled("no disk may be mounted") { try await SmallDisk.isPossible })
    func nothingLost() async throws {
      let ending = try await end(
        "operations: [{ name: a, value: 1 }]", in: try Scratch(), { _, fill in try fill() },
        afterwards: { tool in
          let status = try await tool.run("status")
          #expect(status.code == 0)
          #expect(status.output.contains("is gone, and its end is not recorded"), status.summary)
        })
      #expect(ending.code == 0, ending.summary)
      #expect(ending.error.contains("cannot record that it has stopped"), ending.summary)
    }

    @Test(
      "exits with 3 on SIGTERM if the end of a run is not recorded",
      .enabled("no disk may be mounted") { try await SmallDisk.isPossible })
    func runLost() async throws {
      let scratch = try Scratch()
      let go = scratch("go")
      let ending = try await end(
        "operations: [{ name: a, run: 'touch \(go).begun; until [ -e \(go) ]; do sleep 0.01; done' }]", in: scratch,
        { tool, fill in
          _ = try await tool.run("start", "one", "--quiet")
          #expect(await eventually { FileManager.default.fileExists(atPath: go + ".begun") })
          try fill()
          #expect(FileManager.default.createFile(atPath: go, contents: nil))
        },
        afterwards: { tool in
          let runs = try await tool.run("history", "list", "--json")
          #expect(runs.output.contains("\"state\":\"interrupted\""), runs.summary)
        })
      #expect(ending.code == 3, ending.summary)
    }

    @Test(
      "serves pipelines that changed meanwhile as soon as there is room, without ending first",
      .enabled("no disk may be mounted") { try await SmallDisk.isPossible })
    func changed() async throws {
      let scratch = try Scratch()
      let disk = try #require(await SmallDisk(scratch("disk"), size: "4m"))
      do {
        try await change(in: scratch, on: disk)
        try await disk.unmount()
      } catch {
        try await disk.unmount()
        throw error
      }
    }

    private func change(in scratch: Scratch, on disk: SmallDisk) async throws {
      var tool = Tool(scratch: scratch, preparation: "exec 2> '\(scratch("log"))'")
      tool.workspace = disk.path + "/space"
      try scratch.directory("pipelines")
      let pipeline = "operations: [{ name: a, value: 1 }]"
      try scratch.write(pipeline, to: "pipelines/one.yaml")
      let (served, log) = (ServedWorkspace(tool, effects: scratch.path), scratch("log"))
      let ending = try await tool.run("serve", "pipelines") { pid, send in
        let isReady = await eventually { (try? served.isIdle(pid)) == true && (try? served.isServed("one")) == true }
        #expect(isReady)
        let empty = try disk.fill()
        try scratch.write(pipeline, to: "pipelines/two.yaml")
        let isTold = await eventually { contents(of: log)?.contains("able to write the history") == true }
        #expect(isTold)
        try empty()
        let isServed = await eventually { (try? served.isServed("two")) == true }
        #expect(isServed)
        send(.terminate)
      }
      #expect(ending.code == 0, "\(contents(of: log) ?? "")")
    }
  }
}
