import Foundation
import Subprocess
import Testing

extension Soak {
  @Suite(
    "Containers on one computer may share a workspace",
    .enabled("no pid namespace may be made") { await Container.isPossible })
  struct NamespaceTests {
    /// `mkdir` fails if another process runs this operation at the same time.
    private static let pipeline = """
      name: desk
      overlap: queue
      operations:
        - name: alone
          exclusive: desk
          run: |
            \(CommandRound.effect)
            mkdir desk || exit 9
            until [ -e go ]; do sleep 0.02; done
            rmdir desk
      """

    private static func start(_ tool: Tool, _ file: String) async throws -> Tool.Ending {
      try await tool.run("run", file, "--quiet")
    }

    private static func state(_ tool: Tool) -> String? {
      guard FileManager.default.fileExists(atPath: tool.workspacePath + "/workspace.db"),
        let probe = try? HistoryProbe(tool.workspacePath)
      else { return nil }
      return (try? probe.value("SELECT group_concat(state) FROM attempts")).flatMap { $0 }
    }

    @Test("a live host in another container is not mistaken for dead, and nothing runs twice")
    func living() async throws {
      let scratch = try Scratch()
      let outside = Tool(scratch: scratch, environment: ["SOAK_EFFECTS": scratch("effects")], limit: .seconds(60))
      let inside = Container.of(outside)
      let file = try scratch.write(Self.pipeline, to: "desk.yaml")
      for (first, second) in [(inside, outside), (outside, inside), (inside, inside)] {
        try? FileManager.default.removeItem(atPath: scratch("go"))
        try? FileManager.default.removeItem(atPath: scratch("effects"))
        let before = try Self.runs(outside)
        async let held = first.run("run", file, "--quiet")
        #expect(await eventually { FileManager.default.fileExists(atPath: scratch("desk")) })
        let listing = try await second.run("history", "list", "--json")
        #expect(listing.code == 0 && !listing.output.contains("interrupted"), listing.summary)
        let resumed = try await second.run("resume", "last", "--quiet")
        #expect(resumed.code != 0 && resumed.error.contains("is running in process"), resumed.summary)
        async let waiting = second.run("run", file, "--quiet")
        #expect(await eventually { (try? Self.runs(outside)) == before + 2 })
        try scratch.write("", to: "go")
        let (one, other) = try await (held, waiting)
        #expect(one.code == 0, one.summary)
        #expect(other.code == 0, other.summary)
        #expect(contents(of: scratch("effects"))?.split(separator: "\n").count == 2)
      }
      try outside.expectRest()
    }

    @Test("a host that was killed with its container is recognised as dead, and what it held is taken over")
    func dead() async throws {
      let scratch = try Scratch()
      let outside = Tool(scratch: scratch, environment: ["SOAK_EFFECTS": scratch("effects")], limit: .seconds(60))
      let inside = Container.of(outside)
      let file = try scratch.write(Self.pipeline, to: "desk.yaml")
      let killed = try await inside.run(["run", file, "--quiet"]) { _, send in
        #expect(await eventually { FileManager.default.fileExists(atPath: scratch("desk")) })
        #expect(await eventually { Self.state(outside) == "running" })
        send(.kill)
      }
      #expect(killed.signal == SIGKILL, killed.summary)
      // When its first process ends, the kernel kills all others of the namespace, without waiting for them.
      let mark = "SOAK_EFFECTS=\(scratch("effects"))"
      #expect(await eventually { RunningProcesses.carrying(mark).isEmpty })
      try FileManager.default.removeItem(atPath: scratch("desk"))
      try scratch.write("", to: "go")
      let resumed = try await Container.of(outside).run("resume", "--quiet")
      #expect(resumed.code == 0, resumed.summary)
      let next = try await outside.run("run", file, "--quiet")
      #expect(next.code == 0, next.summary)
      #expect(contents(of: scratch("effects"))?.split(separator: "\n").count == 3)
      try outside.expectRest()
    }

    private static func runs(_ tool: Tool) throws -> Int {
      guard FileManager.default.fileExists(atPath: tool.workspacePath + "/workspace.db") else { return 0 }
      return Int(try HistoryProbe(tool.workspacePath).value("SELECT count(*) FROM runs") ?? "") ?? 0
    }
  }
}

/// A pid namespace with its own `/proc`, which is what a host in a container sees of other processes.
enum Container {
  private static let command = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]

  /// Returns the tool so that it runs in a new one.
  static func of(_ tool: Tool) -> Tool {
    var tool = tool
    tool.preparation = "set -- \(command.joined(separator: " ")) \"$@\""
    return tool
  }

  /// Whether one may be created here.
  static var isPossible: Bool {
    get async {
      let trial = try? await Subprocess.run(
        .name(command[0]), arguments: Arguments(Array(command.dropFirst()) + ["true"]), output: .discarded,
        error: .discarded)
      return trial?.terminationStatus.isSuccess == true
    }
  }
}
