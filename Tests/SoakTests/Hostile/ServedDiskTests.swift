import Foundation
import Subprocess
import Testing

extension Soak {
  @Suite("A host on a full disk", .enabled("no disk may be mounted") { try await SmallDisk.isPossible })
  struct ServedDiskTests {
    /// What a host finds when it starts.
    enum Found: CaseIterable, CustomTestStringConvertible {
      case nothing, closedWorkspace, killedHost

      var testDescription: String {
        switch self {
        case .nothing: "no workspace"
        case .closedWorkspace: "a workspace that was closed"
        case .killedHost: "what a killed host has left"
        }
      }
    }

    @Test("delays its start until there is room, says so, and then starts", arguments: Found.allCases)
    func starting(_ found: Found) async throws {
      try await withDisk { disk, tool in
        if found != .nothing {
          let ending = try await serve(tool) { pid, send in
            #expect(await isReady(pid, tool))
            if found == .killedHost { _ = try await tool.run("start", "long") }
            send(found == .killedHost ? .kill : .terminate)
          }
          #expect(found == .killedHost || ending.code == 0, ending.summary)
        }
        let free = try disk.fill()
        let ended = try await serve(tool) { _, send in
          #expect(await eventually { log(tool).contains("write-failed") })
          send(.terminate)
        }
        #expect(ended.code == 0, ended.summary)
        try "".write(toFile: tool.scratch("log"), atomically: false, encoding: .utf8)
        let waited = try await serve(tool) { pid, send in
          #expect(await eventually { log(tool).contains("write-failed") })
          try free()
          #expect(await isReady(pid, tool))
          #expect(await eventually { log(tool).contains("write-recovered") })
          send(.terminate)
        }
        #expect(waited.code == 0, "\(waited.summary) \(log(tool))")
        #expect(log(tool).components(separatedBy: "write-failed").count == 2, "\(log(tool))")
      }
    }

    @Test("is reported as unable to write, to commands that ask for it, a pipeline, a run or the queue")
    func standstill() async throws {
      try await withDisk { disk, tool in
        _ = try await serve(tool) { pid, _ in
          #expect(await isReady(pid, tool))
          _ = try await tool.run("start", "long")
          let running = "SELECT id FROM runs WHERE state = 'running' AND pipeline = 'long'"
          #expect(await eventually { (try? HistoryProbe(tool.workspacePath).value(running)) != nil })
          let run = try #require(try HistoryProbe(tool.workspacePath).value(running))
          _ = try await tool.run("start", "long")
          let free = try disk.fill()
          #expect(await eventually { log(tool).contains("write-failed") })
          for arguments in [["status"], ["explain", "tick"], ["explain", run], ["explain", run, "a"], ["queue"]] {
            let ending = try await tool.run(arguments)
            #expect(
              ending.output.contains("not been able to write since 20") && ending.output.contains("is full"),
              "\(arguments): \(ending.summary)")
          }
          let status = try await tool.run("status")
          #expect(status.output.contains("the host cannot write"), status.summary)
          try free()
          #expect(await eventually { log(tool).contains("write-recovered") })
          let after = try await tool.run("status")
          #expect(!after.output.contains("cannot write"), after.summary)
          _ = try await tool.run("drain", "--now")
        }
      }
    }

    @Test("ends when the file system of its workspace is detached")
    func detached() async throws {
      try await withDisk { disk, tool in
        let ending = try await serve(tool) { pid, _ in
          #expect(await isReady(pid, tool))
          // Something has been written, and the next write will fail.
          let count = "SELECT count(*) > 1 FROM occasions"
          #expect(await eventually { (try? HistoryProbe(tool.workspacePath).value(count)) == "1" })
          try await disk.detach()
        }
        #expect(ending.code == 3, "\(ending.summary) \(log(tool))")
      }
    }

    private func withDisk(_ body: (SmallDisk, Tool) async throws -> Void) async throws {
      let scratch = try Scratch()
      let disk = try #require(await SmallDisk(scratch("disk"), size: "8m"))
      _ = try scratch.directory("pipelines")
      _ = try scratch.write(
        "controllers: [{ uses: interval, with: { every: 1s } }]\noperations: [{ name: a, value: 1 }]",
        to: "pipelines/tick.yaml")
      _ = try scratch.write(
        "overlap: queue\non_restart: fail\noperations: [{ name: a, run: exec sleep 60 }]", to: "pipelines/long.yaml")
      var tool = Tool(scratch: scratch, workspace: disk.path + "/space")
      do {
        try await body(disk, tool)
        tool.preparation = nil
        try await disk.unmount()
      } catch {
        try await disk.unmount()
        throw error
      }
    }

    /// Runs a host, which logs to the file `log`, until `meanwhile` has ended it.
    private func serve(
      _ tool: Tool, _ meanwhile: @escaping @Sendable (Int32, @Sendable (Signal) -> Void) async throws -> Void
    ) async throws -> Tool.Ending {
      var tool = tool
      tool.preparation = "exec 2>>log"
      return try await tool.run(["serve", "pipelines"]) { pid, send in
        do { try await meanwhile(pid, send) } catch {
          send(.kill)
          throw error
        }
      }
    }

    private func isReady(_ pid: Int32, _ tool: Tool) async -> Bool {
      await eventually {
        (try? HistoryProbe(tool.workspacePath).rows("SELECT pid, state FROM host_record ORDER BY number DESC LIMIT 1"))
          == [["\(pid)", "ready"]]
      }
    }

    private func log(_ tool: Tool) -> String { contents(of: tool.scratch("log")) ?? "" }
  }
}
