import CProcess
import Glibc
import LinesPlugin
import PluginKit
import PluginKitTesting
import Testing

// The commands are real; the tests wait for their output, and nothing depends on the clock.
@Suite(.timeLimit(.minutes(10))) struct LinesTests {
  private func command(_ script: String, _ others: [String: JSONValue] = [:]) -> JSONValue {
    var members: JSONValue = ["command": ["sh", "-c", .string(script)]]
    if case .object(var object) = members {
      for (name, value) in others { object[name] = value }
      members = .object(object)
    }
    return members
  }

  @Test func eachLineOfACommandIsAState() async throws {
    let host = try TestPluginHost(Lines.self)
    let instance = try host.controller("lines", with: command("printf 'one\\n\\ntwo\\nlast'; echo oops >&2"))
    instance.start()
    try await instance.end()
    #expect(instance.events == [.state("one"), .state("two"), .state("last"), .completed(nil)])
    #expect(
      Set(host.log) == [
        TestLogLine(level: .info, message: "oops"), TestLogLine(level: .info, message: "'sh' has ended"),
      ])
    #expect(host.faults.isEmpty)
  }

  @Test(arguments: [([:], "/usr"), (["directory": "share"], "/usr/share"), (["directory": "/etc"], "/etc")])
  func aCommandRunsInTheDirectoryOfThePipeline(setting: [String: JSONValue], expected: String) async throws {
    let host = try TestPluginHost(Lines.self)
    let instance = try host.controller("lines", with: command("pwd", setting))
    instance.start(["directory": "/usr"])
    try await instance.end()
    #expect(instance.events == [.state(.string(expected)), .completed(nil)])
  }

  @Test func aFIFOIsLookedForInTheDirectoryOfThePipeline() async throws {
    let host = try TestPluginHost(Lines.self)
    let instance = try host.controller("lines", with: ["fifo": "no-such-fifo"])
    instance.start(["directory": "/usr"])
    let problem = await #expect(throws: PluginProblem.self) { try await instance.end() }
    #expect(problem?.message.contains("'/usr/no-such-fifo'") == true)
  }

  @Test func emptyLinesMayCount() async throws {
    let host = try TestPluginHost(Lines.self)
    let instance = try host.controller("lines", with: command("printf 'a\\n\\n'", ["skip_empty": false]))
    instance.start()
    try await instance.end()
    #expect(instance.events == [.state("a"), .state(""), .completed(nil)])
  }

  @Test func aLongLineIsCutAndReported() async throws {
    let host = try TestPluginHost(Lines.self)
    let instance = try host.controller("lines", with: command("echo abcdef", ["longest": "4B"]))
    instance.start()
    try await instance.end()
    #expect(instance.events.first == .state("abcd"))
    #expect(
      host.log.first
        == TestLogLine(
          level: .warning, message: "truncated a line that is longer than 4B", fields: ["bytes": 2]))
  }

  @Test func aCommandThatFailsIsStartedAgainAfterAPauseThatGrows() async throws {
    let host = try TestPluginHost(Lines.self, now: Timestamp(seconds: 0))
    let instance = try host.controller("lines", with: command("echo up; exit 3", ["pause": "10s"]))
    let failure = TestEvent.error(PluginProblem("command-failed", "'sh' ended with exit code 3"))
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 10))
    #expect(instance.events == [.state("up"), failure])
    host.clock.advance(by: .seconds(10))
    await host.clock.hasTimer(at: Timestamp(seconds: 30))
    #expect(instance.events == [.state("up"), failure, .state("up"), failure])
    instance.stop()
    try await instance.end()
    #expect(instance.events.last == .completed(nil))
  }

  @Test func aCommandThatIsNotStartedAgainFailsTheController() async throws {
    let host = try TestPluginHost(Lines.self)
    let instance = try host.controller("lines", with: command("kill -9 $$", ["restart": "never"]))
    instance.start()
    await #expect(throws: PluginProblem("command-failed", "'sh' was ended by signal 9")) { try await instance.end() }
  }

  @Test func stoppingEndsTheWholeGroup() async throws {
    let host = try TestPluginHost(Lines.self)
    // The command ends at SIGTERM; its child does not, and would keep the pipe open.
    let script = "(trap '' TERM; echo $BASHPID; exec sleep 1000) & wait"
    let stubborn = try host.controller("lines", with: ["command": ["bash", "-c", .string(script)], "grace": "10s"])
    stubborn.start()
    guard case .state(let text) = try #require(await stubborn.events(1).first),
      let child = text.stringValue.flatMap({ pid_t($0) })
    else {
      Issue.record("the command did not tell the number of its child")
      return
    }
    let descriptor = penstock_open_process(child)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    stubborn.stop()
    try await stubborn.end()
    #expect(stubborn.events.last == .completed(nil))
    // Readable once the child has ended, which is at once, or never.
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&polled, 1, 10_000) == 1)
  }

  @Test func aCommandThatDoesNotHeedSIGTERMIsKilledAfterTheGrace() async throws {
    let host = try TestPluginHost(Lines.self)
    let instance = try host.controller(
      "lines", with: command("trap '' TERM; echo ready; while :; do sleep 1000; done", ["grace": "50ms"]))
    instance.start()
    #expect(await instance.events(1) == [.state("ready")])
    instance.stop()
    try await instance.end()
    #expect(instance.events.last == .completed(nil))
  }

  @Test func aFIFOIsReadUntilTheControllerIsStopped() async throws {
    let path = "\(temporaryDirectory())/penstock-lines-\(getpid()).fifo"
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let host = try TestPluginHost(Lines.self)
    let instance = try host.controller("lines", with: ["fifo": .string(path)])
    instance.start()
    for text in ["first\n", "second\n"] {
      // Each writer closes the FIFO again.
      let writer = open(path, O_WRONLY | O_CLOEXEC)
      _ = text.withCString { write(writer, $0, strlen($0)) }
      close(writer)
    }
    #expect(await instance.events(2) == [.state("first"), .state("second")])
    instance.stop()
    try await instance.end()
    #expect(instance.events.last == .completed(nil))
  }

  @Test func whatCannotBeReadIsSaid() async throws {
    let host = try TestPluginHost(Lines.self)
    func failure(_ settings: JSONValue) async throws -> PluginProblem? {
      let instance = try host.controller("lines", with: settings)
      instance.start()
      return await #expect(throws: PluginProblem.self) { try await instance.end() }
    }
    #expect(
      try await failure(["fifo": "/dev/null"])
        == PluginProblem("not-a-fifo", "'/dev/null' is not a FIFO; make one with 'mkfifo /dev/null'"))
    #expect(
      try await failure(["fifo": "/nowhere/fifo"])
        == PluginProblem("fifo-unreadable", "the FIFO '/nowhere/fifo' cannot be opened: No such file or directory"))
    #expect(
      try await failure(["command": ["/nowhere/tool"]])
        == PluginProblem("command-not-started", "'/nowhere/tool' cannot be started: No such file or directory"))
    #expect(try await failure(["command": ["no-such-tool-anywhere"]])?.code == "command-not-found")
  }

  @Test(
    arguments: [
      ([:], "either 'command' or 'fifo' is required"),
      (["command": ["a"], "fifo": "b"], "'command' and 'fifo' cannot be combined; use two controllers"),
      (["command": []], "command: the list must begin with a program"),
      (["fifo": ""], "fifo: the path is empty"),
      (["fifo": "a", "longest": "2MiB"], "longest: 2MiB is not between 1B and 1MiB"),
    ] as [(JSONValue, String)])
  func impossibleSettingsAreRefused(settings: JSONValue, reason: String) throws {
    let host = try TestPluginHost(Lines.self)
    let problem = #expect(throws: PluginProblem.self) { try host.controller("lines", with: settings) }
    #expect(problem?.code == "invalid-settings")
    #expect(problem?.message == reason)
  }

  private func temporaryDirectory() -> String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }
}
