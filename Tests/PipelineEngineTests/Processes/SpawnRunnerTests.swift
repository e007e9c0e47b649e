import Foundation
import Glibc
import Synchronization
import Testing

@testable import PipelineEngine

@Suite("Processes") struct SpawnRunnerTests {
  /// Runs commands on its own event loop.
  private actor Bench {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let runner: SpawnRunner
    private let output: String

    init(_ loop: EventLoop, output: String) {
      self.loop = loop
      self.output = output
      runner = SpawnRunner(loop: loop)
    }

    func run(
      _ arguments: [String], in directory: String? = nil, grace: Duration = .seconds(10),
      started: (Int32) -> Void = { _ in }
    ) async throws -> ProcessExit {
      let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
      let log = open(output, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      defer {
        close(input)
        close(log)
      }
      let strings = arguments.map(CString.init)
      let request = ProcessRequest(
        executable: strings[0], arguments: CStringList(strings),
        environment: CStringList([CString("PATH=/usr/bin:/bin")]), directory: directory.map(CString.init),
        input: .descriptor(input), output: .file(CString(output)), error: .descriptor(log), grace: grace)
      return try await runner.run(isolation: self, request, started: started, exited: { _ in })
    }
  }

  private let output = NSTemporaryDirectory() + "penstock-process-\(UUID().uuidString)"

  private func bench(_ body: (Bench) async throws -> Void) async throws {
    let loop = try EventLoop()
    try loop.start()
    try await body(Bench(loop, output: output))
    loop.stop()
    unlink(output)
  }

  private var text: String {
    FileManager.default.contents(atPath: output).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  @Test("report how they ended") func ends() async throws {
    try await bench { bench in
      let exited = try await bench.run(["/bin/sh", "-c", "exit 7"])
      #expect(exited == ProcessExit(code: 7, signal: nil, used: exited.used))
      let killed = try await bench.run(["/bin/sh", "-c", "kill -9 $$"])
      #expect(killed == ProcessExit(code: nil, signal: 9, used: killed.used))
    }
  }

  @Test("report the processor time that they and the children they waited for used") func used() async throws {
    try await bench { bench in
      let count = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
      let own = try #require(try await bench.run(["/bin/sh", "-c", count]).used)
      #expect(own.user > 0 && own.system >= 0)
      let waited = try #require(try await bench.run(["/bin/sh", "-c", "(\(count)); true"]).used)
      #expect(waited.user > own.user / 10)
      // What it does not wait for is not included.
      let idle = try #require(try await bench.run(["/bin/sleep", "0"]).used)
      #expect(idle.user + idle.system < own.user + own.system)
    }
  }

  @Test("whose status other code has taken have ended with an unknown status", .timeLimit(.minutes(1)))
  func stolen() async throws {
    try await bench { bench in
      let exited = try await bench.run(["/bin/sh", "-c", "exit 7"]) { pid in waitpid(pid, nil, 0) }
      #expect(exited.isUnknown && exited.used == nil)
      #expect(exited.summary.contains("SIGCHLD"))
      await #expect(throws: ProcessStartError(number: ENOENT)) {
        try await bench.run(["/nonexistent/program"]) { pid in waitpid(pid, nil, 0) }
      }
      #expect(try await bench.run(["/bin/sh", "-c", "exit 7"]).code == 7)
    }
  }

  /// Traces the given process, and lets its end be seen only after a while. Does nothing if tracing is forbidden.
  private static let tracer = """
    import ctypes, os, sys, time
    process, flag = int(sys.argv[1]), sys.argv[2]
    traced = ctypes.CDLL(None).ptrace(0x4206, process, 0, 0) == 0
    open(flag, "w").write("traced\\n")
    while traced and open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[0] != "Z": time.sleep(0.005)
    time.sleep(0.1)
    if traced: os.waitpid(process, 0x40000000)
    """

  @Test("that are traced have ended when the tracer has seen it", .timeLimit(.minutes(1)))
  func traced() async throws {
    let flag = output + ".traced"
    defer { unlink(flag) }
    try await bench { bench in
      // Nothing but its end may happen to the shell while it is traced: each signal would stop it.
      let script = "mkfifo \"$1\"; python3 -c \"$0\" $$ \"$1\" & read line < \"$1\"; exit 5"
      let exited = try await bench.run(["/bin/sh", "-c", script, Self.tracer, flag])
      #expect(exited.code == 5)
    }
  }

  @Test("write to their files and inherit no other descriptors") func descriptors() async throws {
    try await bench { bench in
      let leaked = open("/dev/null", O_RDONLY)
      defer { close(leaked) }
      _ = try await bench.run(["/bin/sh", "-c", "echo out; echo err >&2; ls /proc/self/fd | tr '\\n' ' '"])
      // The fourth one belongs to `ls`, which reads the directory.
      #expect(text == "out\nerr\n0 1 2 3 ")
    }
  }

  @Test("lead their own session, with every signal at its default") func session() async throws {
    try await bench { bench in
      _ = try await bench.run(["/bin/sh", "-c", "cut -d' ' -f6 /proc/$$/stat; echo $$; grep SigIgn /proc/self/status"])
      let lines = text.split(separator: "\n")
      #expect(lines.first == lines.dropFirst().first)
      // Signals 32 and 33 belong to the C library, which ignores them in processes that it spawns.
      let ignored = lines.last.flatMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) }
      #expect(ignored.map { $0 & 0x7FFF_FFFF } == 0)
    }
  }

  @Test("that cannot be started report the reason") func missing() async throws {
    try await bench { bench in
      await #expect(throws: ProcessStartError(number: ENOENT)) { try await bench.run(["/nonexistent/program"]) }
      await #expect(throws: ProcessStartError(number: ENOENT)) {
        try await bench.run(["/bin/true"], in: "/nonexistent")
      }
      await #expect(throws: ProcessStartError(number: EACCES)) { try await bench.run(["/etc/passwd"]) }
      let long = String(repeating: "x", count: 1 << 20)
      await #expect(throws: ProcessStartError(number: E2BIG)) { try await bench.run(["/bin/true", long]) }
      let exit = try await bench.run(["/bin/true"], in: "/")
      #expect(exit.code == 0)
    }
  }

  @Test("are requested to end when their task is cancelled, and killed after their grace period") func cancellation()
    async throws
  {
    try await bench { bench in
      let task = Task {
        try await bench.run(
          ["/bin/sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"], grace: .milliseconds(100))
      }
      // Before that, SIGTERM would end it.
      while !text.contains("ready") { try await Task.sleep(for: .milliseconds(5)) }
      task.cancel()
      let exit = try await task.value
      #expect(exit.signal == SIGKILL)
    }
  }

  @Test("are ended even if they are cancelled before they execute their programs") func earlyCancellation()
    async throws
  {
    try await bench { bench in
      for _ in 0..<50 {
        let task = Task {
          try await bench.run(["/bin/sleep", "1000"]) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        let exit = try await task.value
        #expect(exit.signal == SIGTERM)
      }
    }
  }

  /// How often the handler ran outside this process.
  private static let foreignCalls = Atomic<Int>(0)
  private static let host = getpid()

  @Test("run no handler of the host before they execute their programs") func handlers() async throws {
    #expect(Self.foreignCalls.load(ordering: .relaxed) == 0 && Self.host == getpid())
    let former = signal(SIGWINCH) { _ in
      if getpid() != SpawnRunnerTests.host { SpawnRunnerTests.foreignCalls.add(1, ordering: .relaxed) }
    }
    defer { signal(SIGWINCH, former) }
    try await bench { bench in
      // To the group of this process, which each process belongs to until it leads its own.
      for _ in 0..<100 { _ = try await bench.run(["/bin/true"]) { _ in kill(0, SIGWINCH) } }
    }
    #expect(Self.foreignCalls.load(ordering: .relaxed) == 0)
  }

  @Test("report what they left running in their group") func leftovers() async throws {
    try await bench { bench in
      let exit = try await bench.run(["/bin/sh", "-c", "sleep 5 & echo $!"])
      #expect(exit.leftGroup)
      let pid = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      kill(pid, SIGKILL)
    }
  }
}
