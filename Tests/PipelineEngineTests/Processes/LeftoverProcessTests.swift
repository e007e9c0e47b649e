import Foundation
import Glibc
import OperatingSystem
import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("Leftover processes", .timeLimit(.minutes(5)))
struct LeftoverProcessTests {
  private let run = RunID.generate()
  private let workspace: String
  private let loop: EventLoop

  init() throws {
    workspace = NSTemporaryDirectory() + "penstock-leftover-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: "\(workspace)/runs/\(run.text)", withIntermediateDirectories: true)
    loop = try EventLoop()
    try loop.start()
  }

  private func close() {
    loop.stop()
    try? FileManager.default.removeItem(atPath: workspace)
  }

  /// Starts a child in its own session that reports when it is ready, and then stays. It ignores SIGTERM.
  private func start(environment: [String] = [], output: String? = nil) throws -> ProcessTable.Entry {
    let ready = "\(workspace)/\(UUID().uuidString)"
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    // POSIX_SPAWN_SETSID, which glibc declares only for _GNU_SOURCE.
    posix_spawnattr_setflags(&attributes, 0x80)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    if let output { posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
    var pid: Int32 = 0
    let script = "trap '' TERM; : > \(ready); exec sleep 300"
    let arguments = CStringList(["sh", "-c", script].map(CString.init))
    let error = arguments.withPointers { arguments in
      CStringList(environment.map(CString.init)).withPointers {
        posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, $0)
      }
    }
    try #require(error == 0)
    while access(ready, F_OK) != 0 { usleep(1000) }
    return try #require(ProcessTable.entry(of: pid))
  }

  private func end(_ process: ProcessTable.Entry) {
    kill(process.pid, SIGKILL)
    waitpid(process.pid, nil, 0)
  }

  private func end(
    _ traces: RunTraces, answers: [Bool] = []
  ) async -> LeftoverProcesses.Outcome {
    await Task(executorPreference: loop) { [loop] in
      var answers = answers[...]
      return await LeftoverProcesses.end(traces, delayer: LoopDelayer(loop: loop)) { answers.popFirst() ?? true }
    }.value
  }

  @Test("are found by the environment, by a log of the run, and by the recorded id and start time")
  func found() async throws {
    defer { close() }
    let log = "\(workspace)/runs/\(run.text)/1.out"
    let named = try start(environment: [RunTraces.mark(of: run)])
    let logging = try start(output: log)
    let recorded = try start()
    let reused = try start()
    let others = try [start(environment: [RunTraces.mark(of: .generate())]), start(output: "\(workspace)/other")]
    defer { ([named, logging, recorded, reused] + others).forEach(end) }
    let traces = RunTraces(
      of: run, workspace: workspace,
      recorded: [
        RecordedProcess(pid: recorded.pid, started: recorded.started),
        RecordedProcess(pid: reused.pid, started: reused.started - 1),
        RecordedProcess(pid: others[0].pid, started: nil),
      ])
    let looked = LeftoverProcesses.look(traces)
    #expect(Set(looked.found) == [named, logging, recorded])
    #expect(looked.undecided.isEmpty)
    let outcome = await end(traces)
    #expect(outcome.ended == 3 && outcome.remaining.isEmpty)
    #expect([named, logging, recorded].filter(\.isRunning).isEmpty)
    #expect(([reused] + others).filter(\.isRunning).count == 3)
  }

  @Test("that turn out to belong to another host are neither killed nor reported")
  func resumedMeanwhile() async throws {
    defer { close() }
    let process = try start(environment: [RunTraces.mark(of: run)])
    defer { end(process) }
    let traces = RunTraces(of: run, workspace: workspace)
    let outcome = await end(traces, answers: [true, false])
    #expect(process.isRunning)
    #expect(outcome.remaining.isEmpty && outcome.ended == 0)
  }

  @Test("do not include readers of a log, and their users are known")
  func reader() throws {
    defer { close() }
    let directory = "\(workspace)/runs/\(run.text)"
    let writer = try start(output: "\(directory)/1.out")
    defer { end(writer) }
    #expect(ProcessTable.writes(into: directory, writer.pid))
    #expect(!ProcessTable.writes(into: "\(workspace)/run", writer.pid))
    #expect(ProcessTable.user(of: writer.pid) == getuid())
    #expect(ProcessTable.started(of: writer.pid) == writer.started)
    kill(writer.pid, SIGKILL)
    var info = siginfo_t()
    waitid(P_PID, id_t(writer.pid), &info, WEXITED | WNOWAIT)
    #expect(ProcessTable.entry(of: writer.pid) == nil)
    // Until it is waited for.
    #expect(ProcessTable.started(of: writer.pid) == writer.started)
  }
}
