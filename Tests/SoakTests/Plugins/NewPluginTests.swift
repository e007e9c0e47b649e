import Foundation
import Subprocess
import Testing

extension Soak {
  @Suite("A plugin that `plugins new` has written builds and works") struct NewPluginTests {
    @Test("in C")
    func inC() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch)
      let written = try await tool.run("plugins", "new", "hello-there", "--language", "c")
      #expect(written.code == 0, written.summary)
      try await shell("make -s -C hello-there CFLAGS='-Wall -Wextra -Wpedantic -Werror'", in: scratch)
      let verified = try await tool.run("plugins", "verify", scratch("hello-there/hello-there.so"))
      #expect(verified.code == 0, verified.summary)
      // The validator drives it through the whole contract, where this build has it.
      if try await tool.run("plugins", "check", "--help").code == 0 {
        let checked = try await tool.run("plugins", "check", scratch("hello-there/hello-there.so"))
        #expect(checked.code == 0, checked.summary)
      }
    }

    // Builds PluginKit from its sources, which takes minutes.
    @Test("in Swift", .enabled(if: Soak.isFull))
    func inSwift() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch)
      let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path
      let written = try await tool.run("plugins", "new", "hello-there", "--language", "swift", "--penstock", checkout)
      #expect(written.code == 0, written.summary)
      try await shell("swift build --package-path hello-there", in: scratch)
      try await shell("swift test --package-path hello-there", in: scratch)
      let file = scratch("hello-there/.build/debug/libpenstock-hello-there.so")
      let verified = try await tool.run("plugins", "verify", file)
      #expect(verified.code == 0, verified.summary)
    }

    @Test("and nothing that is there is touched")
    func existing() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch)
      try scratch.directory("hello")
      let refused = try await tool.run("plugins", "new", "hello", "--language", "c")
      #expect(refused.code == 2, refused.summary)
      #expect(
        refused.error
          == "penstock: 'hello' is there already, and is not touched; name another with --directory\n", refused.summary)
      #expect(try FileManager.default.contentsOfDirectory(atPath: scratch("hello")).isEmpty)
    }

    private func shell(_ command: String, in scratch: Scratch) async throws {
      let outcome = try await Subprocess.run(
        .path("/bin/sh"), arguments: ["-c", command], workingDirectory: .init(scratch.path), input: .none,
        output: .string(limit: 4 << 20), error: .combinedWithOutput)
      #expect(outcome.terminationStatus.isSuccess, "\(command)\n\(outcome.standardOutput)")
    }
  }
}
