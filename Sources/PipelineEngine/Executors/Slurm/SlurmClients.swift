import CProcess
import Glibc
import OperatingSystem
import SlurmJobs

/// Calls the clients of Slurm: one at a time, not more often than the site allows, each with a time limit, in an environment without the user's settings
/// for them. *On the event loop.*
final class SlurmClients {
  /// The outcome of a call.
  struct Reply: Sendable {
    /// The exit code; nil if the client could not be started, or was killed.
    var code: Int32?
    var output = ""
    var errors = ""

    /// The last line that it printed as an error, without its name.
    var complaint: String {
      let line = errors.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) }.map(String.init)
      return line.map { line in line.replacing(/^s[a-z]+: (error: )?/, with: "") } ?? "it printed no reason"
    }
  }

  /// How long a call may take.
  private static let patience = Duration.seconds(30)
  /// What `sbatch` prints, in lower case, while it tries again for two minutes because the queue is full.
  static let fullQueue = "sleeping and retrying"
  /// How often is looked for that.
  private static let glance = Duration.milliseconds(500)
  /// The most that is read of an answer: some hundred bytes for each of 100,000 jobs.
  private static let answerLimit = 32 << 20

  private let local: LocalExecutor
  private let environment: ProcessEnvironment
  /// What `sbatch` gets, and so the jobs.
  private let submitted: ProcessEnvironment
  private let interval: Duration
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var nextCall = ContinuousClock.now

  init(local: LocalExecutor, inherited: ProcessEnvironment, interval: Duration) {
    self.local = local
    self.interval = interval
    environment = Self.clean(inherited)
    submitted = ProcessEnvironment(inherited.values.filter { ClientVariables.isSubmitted($0.key) })
  }

  /// Returns the environment of clients.
  private static func clean(_ inherited: ProcessEnvironment) -> ProcessEnvironment {
    var clean = inherited
    for name in inherited.values.keys where ClientVariables.isDropped(name) { clean[name] = nil }
    for (name, value) in ClientVariables.own { clean[name] = value }
    return clean
  }

  /// Calls a client when its turn has come.
  nonisolated(nonsending) func call(
    _ program: String, _ arguments: [String], input: String? = nil, directory: String? = nil
  ) async -> Reply {
    if isBusy { await withCheckedContinuation { waiting.append($0) } }
    isBusy = true
    defer {
      if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
    let pause = nextCall - .now
    if pause > .zero { try? await LoopDelayer(loop: local.loop).delay(for: pause) }
    nextCall = .now + interval
    do {
      return try await run(program, arguments, input: input, directory: directory)
    } catch {
      return Reply(errors: "'\(program)' could not be started: \(error)")
    }
  }

  private nonisolated(nonsending) func run(
    _ program: String, _ arguments: [String], input: String?, directory: String?
  ) async throws -> Reply {
    guard let executable = local.executables.locate(program, path: environment["PATH"]) else {
      return Reply(errors: "'\(program)' was not found in PATH; are the clients of Slurm installed?")
    }
    let output = try OutputPipe()
    let error = try OutputPipe()
    let printed = try StreamCollector(output.readEnd, limit: Self.answerLimit, excess: .ends, loop: local.loop)
    let complaints = try StreamCollector(error.readEnd, limit: 64 << 10, excess: .dropsBeginning, loop: local.loop)
    var source = ProcessRequest.Source.empty
    if let input {
      let descriptor = Array(input.utf8).withUnsafeBytes { penstock_memory_file($0.baseAddress, $0.count) }
      guard descriptor >= 0 else { throw SystemError("memfd_create", -descriptor) }
      source = .descriptor(descriptor)
    }
    defer { if case .descriptor(let descriptor) = source { close(descriptor) } }
    let request = ProcessRequest(
      executable: executable, arguments: CStringList(([program] + arguments).map(CString.init)),
      environment: (program == "sbatch" ? submitted : environment).list, directory: directory.map(CString.init),
      input: source,
      output: .descriptor(output.writeEnd), error: .descriptor(error.writeEnd), grace: .seconds(1))
    let (runner, loop) = (local.runner, local.loop)
    var timer: EventLoop.Token?
    var glance: EventLoop.Token?
    // Its retries would only keep the other clients waiting.
    func look(at pid: Int32) {
      glance = loop.schedule(after: Self.glance) {
        let text = String(decoding: complaints.bytes, as: UTF8.self)
        if text.contains(Self.fullQueue) { runner.kill([pid]) } else { look(at: pid) }
      }
    }
    // The caller's cancellation must not leave it open whether Slurm has accepted something.
    let exit = try await runner.run(isolation: #isolation, request) { pid in
      timer = loop.schedule(after: Self.patience) { runner.kill([pid]) }
      look(at: pid)
    } exited: { _ in
    }
    for token in [timer, glance].compactMap(\.self) { loop.cancelTimer(token) }
    printed.finish()
    complaints.finish()
    extendLifetime(output)
    extendLifetime(error)
    return Reply(
      code: exit.code, output: String(decoding: printed.bytes, as: UTF8.self),
      errors: String(decoding: complaints.bytes, as: UTF8.self))
  }
}
