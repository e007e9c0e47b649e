import Foundation
import Subprocess
import Testing

/// What plugins do to the `penstock` process that they run in, as seen from outside.
@Suite("Plugins with isolation: host")
struct HostedPluginTests {
  private let place: PluginCommandTests.Place

  init() async throws {
    place = try PluginCommandTests.Place()
    try await place.compile(source: "mischief.c", to: "mischief.so")
  }

  private func run(
    _ what: String, isolation: String = "host", environment: String = "", options: String = ""
  ) async throws -> (output: String, errors: String, code: Int32?) {
    try await place.shell(
      """
      cat > p.yaml <<'END'
      name: p
      plugins: { mischief: { isolation: \(isolation) } }
      operations: [{ name: a, uses: mischief, with: { what: \(what) } }]
      END
      ulimit -c 0; SWIFT_BACKTRACE=enable=no \(environment) penstock run p.yaml --workspace w \(options); echo "exit $?"
      """)
  }

  private static let advice =
    "; with 'isolation: process' it would end the plugin's own; the run is interrupted: `penstock resume` continues it\n"
  private static let place = "in 'start' of operation 'mischief' of plugin 'mischief', which ends this process"
  private static let thread = "on a thread of plugin 'mischief', which ends this process"

  private static let replacing = [
    "execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "execveat", "daemon",
  ]

  private static let endings: [(what: String, message: String)] =
    ["exit", "_exit", "quick_exit"].map { ($0, "\($0)(0) was called \(place)") }
    + ["exit", "_exit"].map { ("own \($0)", "\($0)(0) was called \(thread)") }
    + replacing.map { ($0, "\($0) was called \(place)") } + [("own execve", "execve was called \(thread)")]

  @Test("a plugin that ends the process is named, and the exit code is not 0", arguments: endings)
  func exits(what: String, message: String) async throws {
    let outcome = try await run(what)
    #expect(outcome.output.hasSuffix("exit 3\n"), "\(outcome)")
    #expect(outcome.errors.hasSuffix("penstock: \(message)\(Self.advice)"), "\(outcome)")
    let resumed = try await place.shell(
      "sed -i 's/what: [a-z_ ]*/what: nothing/' p.yaml; penstock history list --workspace w")
    #expect(resumed.output.contains("interrupted"), "\(resumed)")
  }

  @Test(
    "a crash of a plugin is reported with its signal and the function in which it occurred",
    arguments: [
      ("segfault", "SIGSEGV \(place)", 139), ("copy", "SIGSEGV \(place)", 139), ("abort", "SIGABRT \(place)", 134),
      ("overflow", "SIGSEGV \(place)", 139), ("own segfault", "SIGSEGV \(thread)", 139),
      ("own abort", "SIGABRT \(thread)", 134), ("own copy", "SIGSEGV \(thread)", 139),
    ])
  func crashes(what: String, message: String, code: Int32) async throws {
    let outcome = try await run(what)
    #expect(outcome.output.hasSuffix("exit \(code)\n"), "\(outcome)")
    #expect(outcome.errors.contains("penstock: \(message)\(Self.advice)"), "\(outcome)")
  }

  private static let faults: [(name: String, code: Int32)] = [
    ("ILL", 132), ("TRAP", 133), ("ABRT", 134), ("BUS", 135), ("FPE", 136), ("SEGV", 139), ("SYS", 159),
  ]
  private static let senders = [
    ("raise", place), ("own raise", thread), ("kill", "was sent by plugin 'mischief', which ends this process"),
    ("own kill", "was sent by plugin 'mischief', which ends this process"),
  ]

  @Test(
    "a fatal signal sent by a plugin terminates the host, after the previously installed handler has run",
    arguments: faults, senders)
  func sendsFault(fault: (name: String, code: Int32), sender: (what: String, message: String)) async throws {
    try await place.compile(source: "former_handler.c", to: "former_handler.so")
    let outcome = try await run(
      "\(sender.what) \(fault.name)", environment: "LD_PRELOAD=$PWD/former_handler.so")
    #expect(outcome.output.hasSuffix("exit \(fault.code)\n"), "\(outcome)")
    #expect(
      outcome.errors.contains("penstock: SIG\(fault.name) \(sender.message)\(Self.advice)handled as before\n"),
      "\(outcome)")
  }

  @Test("a fatal signal from outside terminates a host, with and without plugins", arguments: faults, ["", "plugin"])
  func sentFault(fault: (name: String, code: Int32), kind: String) async throws {
    try await place.compile(source: "former_handler.c", to: "former_handler.so")
    let operation =
      kind.isEmpty ? "run: 'echo $$ > pid; exec sleep 60'" : "uses: mischief, with: { what: 'threads' }"
    let outcome = try await place.shell(
      """
      cat > p.yaml <<'END'
      name: p
      \(kind.isEmpty ? "" : "plugins: { mischief: { isolation: host } }")
      operations: [{ name: a, \(operation) }]
      END
      ulimit -c 0; export SWIFT_BACKTRACE=enable=no
      LD_PRELOAD=$PWD/former_handler.so penstock run p.yaml --workspace w 2> errors &
      until grep -q . pid || grep -q 'all threads were begun' errors; do sleep 0.05; done 2>/dev/null
      kill -\(fault.name) $!
      wait $!
      echo "exit $?, sent by $$"
      test ! -e pid || kill "$(cat pid)"
      """)
    let parts = outcome.output.components(separatedBy: "exit \(fault.code), sent by ")
    try #require(parts.count == 2, "\(outcome)")
    let errors = try await place.shell("cat errors").output
    #expect(
      errors.contains(
        "penstock: SIG\(fault.name) was sent by process \(parts[1].dropLast()), which ends this process; the run is interrupted: "
          + "`penstock resume` continues it\nhandled as before\n"), "\(errors)")
  }

  @Test("a signal sent by a plugin also terminates the host when Swift reports the crash")
  func sendsFaultToSwift() async throws {
    let outcome = try await run("raise SEGV", environment: "SWIFT_BACKTRACE=enable=yes")
    #expect(outcome.output.hasSuffix("exit 139\n"), "\(outcome)")
    #expect(outcome.errors.contains("penstock: SIGSEGV \(Self.place)\(Self.advice)"), "\(outcome)")
    #expect(outcome.errors.contains("*** Program crashed"), "\(outcome)")
  }

  @Test("a call that never returns ends the process after ten seconds", arguments: ["hang", "end the thread"])
  func hangs(what: String) async throws {
    let outcome = try await run(what)
    #expect(outcome.output.hasSuffix("exit 3\n"), "\(outcome)")
    #expect(
      outcome.errors.hasSuffix(
        "penstock: 'start' of operation 'mischief' of plugin 'mischief' has not returned for 10s and blocks everything that "
          + "waits for it; with 'isolation: process', only the plugin's own process would end; the run is interrupted: `penstock resume --workspace w` "
          + "continues it\n"), "\(outcome)")
  }

  @Test("a call that never returns while a file is checked ends the command after ten seconds")
  func hangingCreate() async throws {
    let outcome = try await run("create")
    #expect(outcome.output.hasSuffix("exit 3\n"), "\(outcome)")
    #expect(
      outcome.errors.hasSuffix(
        "penstock: 'create' of operation 'mischief' of plugin 'mischief' has not returned for 10s and blocks "
          + "everything that waits for it; with 'isolation: process', only the plugin's own process would end\n"),
      "\(outcome)")
  }

  @Test(
    "a plugin that ends the process while it is loaded is also named",
    arguments: ["initializer", "describe", "capability"],
    [("exit", "exit(0) was called", 3), ("_exit", "_exit(0) was called", 3), ("segfault", "SIGSEGV", 139)])
  func endsWhileLoaded(function: String, end: (what: String, message: String, code: Int32)) async throws {
    let outcome = try await run("nothing", environment: "MISCHIEF='\(function) \(end.what)'")
    #expect(outcome.output.hasSuffix("exit \(end.code)\n"), "\(outcome)")
    #expect(
      outcome.errors.contains(
        "penstock: \(end.message) in '\(function)' of plugin 'mischief', which ends this process; with 'isolation: process' it would "
          + "end the plugin's own\n"), "\(outcome)")
  }

  @Test(
    "a plugin that hangs while it is loaded ends the command after ten seconds",
    arguments: ["initializer", "describe", "capability"])
  func hangsWhileLoaded(function: String) async throws {
    let outcome = try await run("nothing", environment: "MISCHIEF='\(function) hang'")
    #expect(outcome.output.hasSuffix("exit 3\n"), "\(outcome)")
    #expect(
      outcome.errors.hasSuffix(
        "penstock: '\(function)' of plugin 'mischief' has not returned for 10s and blocks everything that waits for it; with "
          + "'isolation: process', only the plugin's own process would end\n"), "\(outcome)")
  }

  @Test(
    "SIGTERM is handled while a plugin hangs during loading",
    arguments: ["MISCHIEF", "LANG"], ["initializer", "describe", "capability"])
  func signalWhileLoaded(variable: String, function: String) async throws {
    let outcome = try await run(
      "nothing", environment: "\(variable)='\(function) hang'",
      options: """
        2> errors &
        until grep -q 'has not returned' errors; do sleep 0.05; done
        kill -TERM $!
        wait $!
        """)
    #expect(outcome.output.hasSuffix("exit 130\n"), "\(outcome)")
    let errors = try await place.shell("cat errors").output
    #expect(
      errors.hasSuffix(
        "\npenstock: cancelled before the run began: '\(function)' of plugin 'mischief' has not returned\n"),
      "\(errors)")
  }

  @Test("a plugin that hangs while its own process loads it is terminated, and the function is named")
  func hangsInChild() async throws {
    let outcome = try await run("nothing", isolation: "process", environment: "LANG='describe hang'")
    #expect(outcome.output.hasSuffix("exit 2\n"), "\(outcome)")
    #expect(
      outcome.errors.contains(
        "error[plugin-unresponsive]: plugin 'mischief' hangs: 'describe' did not return for more than 15s while it was loaded\n"
      ), "\(outcome)")
  }

  @Test("a plugin whose close never returns delays the process by ten seconds after the end of the run")
  func hangingClose() async throws {
    let outcome = try await run("close")
    #expect(outcome.output.hasSuffix("exit 3\n"), "\(outcome)")
    #expect(
      outcome.errors.hasSuffix(
        "penstock: 'close' of plugin 'mischief' has not returned for 10s and blocks everything that waits for it; with "
          + "'isolation: process', only the plugin's own process would end\n"), "\(outcome)")
    let history = try await place.shell("penstock history list --workspace w")
    #expect(history.output.contains("succeeded"), "\(history)")
  }

  @Test("a plugin's output goes to standard error, not between the lines of --json")
  func prints() async throws {
    let outcome = try await run("print", options: "--json | sed 's/^[^{].*/NOT JSON/'")
    #expect(!outcome.output.contains("NOT JSON\n{"), "\(outcome)")
    #expect(!outcome.output.contains("by the plugin"), "\(outcome)")
    #expect(outcome.errors.contains("printed by the plugin\n"), "\(outcome)")
    #expect(outcome.errors.contains("written by the plugin\n"), "\(outcome)")
    let lines = outcome.output.split(separator: "\n").dropLast()
    #expect(lines.count > 2 && lines.allSatisfy { $0.hasPrefix("{") }, "\(outcome)")
  }

  @Test("a plugin's exit handlers neither delay the process nor change its exit code")
  func atExit() async throws {
    let outcome = try await run("atexit hang")
    #expect(outcome.output.hasSuffix("exit 0\n"), "\(outcome)")
    // The run fails after the plugin has registered its handler.
    let failing = try await place.shell(
      """
      cat > f.yaml <<'END'
      name: f
      plugins: { mischief: { isolation: host } }
      operations: [{ name: a, uses: mischief, with: { what: atexit } }, { name: b, needs: a, run: "false" }]
      END
      penstock run f.yaml --workspace w; echo "exit $?"
      """)
    #expect(failing.output.hasSuffix("exit 1\n"), "\(failing)")
  }

  @Test("a thread that a plugin starts in a function called by the host receives none of the host's signals")
  func threads() async throws {
    let outcome = try await run(
      "threads",
      options: """
        2> errors &
        until grep -q 'all threads were begun' errors; do sleep 0.05; done
        kill -TERM $!
        wait $!
        """)
    // The plugin waits on such a thread while the host is told to end.
    #expect(outcome.output.hasSuffix("exit 130\n"), "\(outcome)")
    let errors = try await place.shell("cat errors").output.split(separator: "\n").map(String.init)
    for place in ["create", "start", "a timer", "stop"] {
      let lines = errors.filter { $0.hasPrefix("a thread begun in \(place) takes:") }
      #expect(!lines.isEmpty && lines.allSatisfy { $0 == "a thread begun in \(place) takes:" }, "\(errors)")
    }
  }

  @Test("if a plugin ignores the ends of processes, an operation fails with exit-unknown and is not run twice")
  func ignoredEnds() async throws {
    let outcome = try await place.shell(
      """
      cat > e.yaml <<'END'
      name: e
      plugins: { mischief: { isolation: host } }
      operations:
        - { name: a, uses: mischief, with: { what: ignore ends } }
        - { name: b, needs: a, run: echo ran >> log, retry: { limit: 2, base: 10ms } }
      END
      timeout -s KILL 20 penstock run e.yaml --workspace w; echo "exit $?"; cat log
      penstock history sql --csv "SELECT error_code FROM operations WHERE operation = 'b'" --workspace w
      """)
    #expect(outcome.output.contains("exit 1\nran\n"), "\(outcome)")
    #expect(outcome.output.hasSuffix("exit-unknown\n"), "\(outcome)")
  }

  @Test("a plugin that ends the process by a direct system call is not noticed, and its run is interrupted")
  func systemCall() async throws {
    let outcome = try await run("system call")
    #expect(outcome.output.hasSuffix("exit 0\n"), "\(outcome)")
    let history = try await place.shell("penstock history list --workspace w")
    #expect(history.output.contains("interrupted"), "\(history)")
  }

  @Test("children of a plugin can execute other programs")
  func programs() async throws {
    let outcome = try await run("programs")
    #expect(outcome.output.hasSuffix("exit 0\n"), "\(outcome)")
    let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("program ") }
    #expect(lines == (0..<9).map { "program \($0): 7" }, "\(outcome)")
  }

  @Test("a child of a plugin may end without consequences")
  func children() async throws {
    let outcome = try await run("child")
    #expect(outcome.output.hasSuffix("exit 0\n"), "\(outcome)")
    #expect(!outcome.errors.contains("was called"), "\(outcome)")
  }
}
