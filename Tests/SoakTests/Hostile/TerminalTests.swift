import Foundation
import Glibc
import Testing

extension Soak {
  @Suite("A watcher of a run may disappear") struct TerminalTests {
    @Test("closing the terminal cancels the run quietly and completely")
    func terminalGoesAway() async throws {
      let scratch = try Scratch()
      let (controller, terminal) = try #require(Self.pseudoTerminal())
      // The leader of a session gets the first terminal that it opens.
      var tool = Tool(scratch: scratch, environment: ["TERM": "xterm"], limit: .seconds(60))
      tool.preparation = "exec <\(terminal) >\(terminal) 2>\(terminal)"
      tool.leadsSession = true
      let file = try scratch.write(
        """
        operations:
          - { name: first, run: echo hello }
          - { name: long, needs: [first], run: touch started; sleep 1000 }
        after: { cancel: [{ name: goodbye, run: touch handled }] }
        """, to: "pipeline.yaml")
      let ending = try await tool.run("run", file) { _, _ in
        _ = await eventually { contents(of: scratch("started")) != nil }
        close(controller)
      }
      #expect(!ending.overran && ending.code == 130, ending.summary)
      #expect(contents(of: scratch("handled")) != nil, "handlers run although nobody watches")
      let outcomes = try tool.outcomes()
      #expect(outcomes["first"] == #"succeeded - "hello""#)
      #expect(outcomes["long"]?.hasPrefix("cancelled") == true)
      try tool.expectRest()
    }

    @Test("closing the reading end of a pipe does not end the run", arguments: [[], ["--json"]])
    func closedPipe(_ options: [String]) async throws {
      let scratch = try Scratch()
      var tool = Tool(scratch: scratch, limit: .seconds(60))
      tool.preparation = "mkfifo pipe; head -c 1 <pipe >/dev/null & exec >pipe"
      let operations = (0..<40).map { "  - { name: o\($0), run: echo hello }" }
      let file = try scratch.write("operations:\n" + operations.joined(separator: "\n"), to: "pipeline.yaml")
      let ending = try await tool.run(["run", file] + options)
      #expect(ending.code == 0, ending.summary)
      #expect(ending.error == "", ending.summary)
      #expect(try tool.outcomes().count == 40)
      try tool.expectRest()
    }

    @Test("a reader that sleeps does not stop the operations")
    func slowReader() async throws {
      let scratch = try Scratch()
      var tool = Tool(scratch: scratch, limit: .seconds(60))
      // Nothing is read until the last operation has ended; the events exceed the capacity of a pipe.
      tool.preparation = "mkfifo pipe; (exec <pipe; while [ ! -e done ]; do sleep 0.05; done; cat >output) & exec >pipe"
      let operations = (0..<300).map { "  - { name: o\($0), value: \(String(repeating: "x", count: 300)) }" }
      let file = try scratch.write(
        "order: chain\noperations:\n" + operations.joined(separator: "\n") + "\n  - { name: last, run: touch done }",
        to: "pipeline.yaml")
      let ending = try await tool.run("run", file, "--json")
      #expect(ending.code == 0 && !ending.overran, ending.summary)
      try tool.expectRest()
    }

    /// Returns a descriptor of the controlling end, and the path of the terminal. Uses Linux's requests, because the POSIX functions for this are not
    /// available in Swift.
    private static func pseudoTerminal() -> (controller: Int32, path: String)? {
      let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      guard controller >= 0 else { return nil }
      let (lock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
      var (isLocked, number): (Int32, Int32) = (0, 0)
      guard ioctl(controller, lock, &isLocked) == 0, ioctl(controller, getNumber, &number) == 0 else { return nil }
      return (controller, "/dev/pts/\(number)")
    }
  }
}
