import Foundation
import Subprocess
import Testing

extension Soak {
  @Suite("A plugin created by `plugins new` builds and works") struct NewPluginTests {
    @Test(
      "in C, C++ and Rust",
      arguments: [
        ("c", "CFLAGS='-Wall -Wextra -Wpedantic -Werror'"), ("cpp", "CXXFLAGS='-Wall -Wextra -Wpedantic -Werror'"),
        ("rust", "RUSTFLAGS='-O -D warnings'"),
      ])
    func foreign(language: String, flags: String) async throws {
      // The tests do not require a Rust compiler.
      if language == "rust" {
        guard await succeeds("command -v rustc") else { return }
      }
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch)
      let written = try await tool.run("plugins", "new", "hello-there", "--language", language)
      #expect(written.code == 0, written.summary)
      try await shell("make -s -C hello-there \(flags)", in: scratch)
      try await shell("make -s -C hello-there test PENSTOCK='\(Tool.program)'", in: scratch)
      try await shell("make -s -C hello-there try PENSTOCK='\(Tool.program)'", in: scratch)
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
      try await shell("make -C hello-there test PENSTOCK='\(Tool.program)'", in: scratch)
      try await shell("make -C hello-there try PENSTOCK='\(Tool.program)'", in: scratch)
      // The library does not need the Swift runtime, and exports only its entry point.
      try await shell("! readelf -d hello-there/libpenstock-hello-there.so | grep NEEDED.*swift", in: scratch)
      try await shell(
        "test $(nm -D --defined-only hello-there/libpenstock-hello-there.so | grep -c ' [A-Z] ') = 1", in: scratch)
    }

    @Test("and existing files are not touched")
    func existing() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch)
      try scratch.directory("hello")
      let refused = try await tool.run("plugins", "new", "hello", "--language", "c")
      #expect(refused.code == 2, refused.summary)
      #expect(
        refused.error
          == "penstock: 'hello' exists already and is not changed; name another with --directory\n", refused.summary)
      #expect(try FileManager.default.contentsOfDirectory(atPath: scratch("hello")).isEmpty)
    }

    private func succeeds(_ command: String) async -> Bool {
      let outcome = try? await Subprocess.run(
        .path("/bin/sh"), arguments: ["-c", command], input: .none, output: .discarded, error: .discarded)
      return outcome?.terminationStatus.isSuccess == true
    }

    private func shell(_ command: String, in scratch: Scratch) async throws {
      let outcome = try await Subprocess.run(
        .path("/bin/sh"), arguments: ["-c", command], workingDirectory: .init(scratch.path), input: .none,
        output: .string(limit: 4 << 20), error: .combinedWithOutput)
      #expect(outcome.terminationStatus.isSuccess, "\(command)\n\(outcome.standardOutput)")
    }
  }
}
