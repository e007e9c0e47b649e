import CProcess
import Expressions
import Glibc
import OperatingSystem
import PipelineLanguage
import RunHistory
import Values
import Workspace

/// Runs jobs as processes of this computer.
///
/// Each has log files that it opens itself, a place in the file of its run's process records, and a pipe that masks its output if it receives a
/// secret. What it leaves running is terminated at the end of its run. It adopts nothing: the processes of a former host are terminated, not waited
/// for. *On the event loop.*
final class LocalExecutor: Executor, FastDoor, @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  static let name = "local"
  var name: String { Self.name }
  /// Each process records itself before it executes its program.
  var keepsHandles: Bool { true }
  var usesThisMachine: Bool { true }
  var fastDoor: (any FastDoor)? { self }

  let runner: SpawnRunner
  let executables = ExecutableSearch()
  let loop: EventLoop
  let masking = MaskingThread()
  /// Records when the logs of the processes grow.
  let logWatch: LogWatch
  /// Whether descriptors are reserved for other things than processes: see ``DescriptorReserve``.
  private let leavesReserve: Bool
  private var runs: [RunID: LocalRun] = [:]
  /// The ends for calls of ``end(of:)``, by process.
  private var ends: [Int32: Task<LoopBound<JobEnd>, Never>] = [:]

  init(loop: EventLoop, time: HostClock, keepsLogTimes: Bool, leavesReserve: Bool = false) {
    self.loop = loop
    self.leavesReserve = leavesReserve
    logWatch = LogWatch(loop: loop, isOn: keepsLogTimes) { time.now() }
    runner = SpawnRunner(loop: loop)
  }

  /// Returns the state of a run on this computer.
  func run(_ id: RunID) -> LocalRun {
    if let known = runs[id] { return known }
    let run = LocalRun()
    runs[id] = run
    return run
  }

  /// The number of runs of which it keeps state.
  var runCount: Int { runs.count }

  // MARK: One job, by the fast path

  /// On a request to end, the process group receives SIGTERM, and SIGKILL after the job's grace period; `exited` is called when the process has been reaped.
  func run(
    isolation: isolated (any Actor)?, _ job: Job, begun: (JobHandle, LogFiles) -> Void,
    exited: @escaping @Sendable () -> Void
  ) async throws -> JobEnd {
    try leaveReserve(for: job.arguments[0])
    let process = try take(job)
    defer { close(inputOf: process) }
    let (files, run) = (process.files, run(job.id.run))
    var request = process.request
    let place: ProcessRecords.Place
    let directory: LogDirectory
    do {
      place = try run.records.take(in: try job.files.runDirectory())
      directory = try run.logDirectory(job.files.runDirectory())
    } catch {
      job.files.giveBack(files)
      throw error
    }
    request.record = place
    request.record?.note(operation: job.id.ordinal, attempt: job.id.attempt)
    let exit: ProcessExit
    var group: Int32 = 0
    // Before the process can write to them.
    let logs = logWatch.begin(files, index: job.files.index, in: directory, pumped: process.pumped)
    do {
      exit = try await runner.run(isolation: isolation, request) { pid in
        process.closePipes()
        group = pid
        begun(JobHandle(job: job.id, name: .process(pid)), files)
      } exited: { _ in
        exited()
      }
    } catch {
      run.records.giveBack(place)
      logWatch.end(logs)
      let failure = process.failure(error.number)
      guard group == 0 else { return JobEnd(cause: .refused(OperationFailure(failure)), files: files) }
      job.files.giveBack(files)
      throw failure
    }
    run.records.giveBack(place, isKept: exit.leftGroup)
    if exit.leftGroup { run.leftGroups.insert(group) }
    let cut = await process.finishPipes()
    logWatch.end(logs)
    return JobEnd(cause: exit.cause, files: files, cut: cut, leftProcesses: exit.leftGroup, used: exit.used)
  }

  /// Refuses to start another process if the remaining descriptors are needed for running ones. A single process may use all of them.
  ///
  /// - Throws: ``EngineError/systemCall(_:_:)``, as if there were no descriptors left.
  func leaveReserve(for program: String) throws(EngineError) {
    guard leavesReserve, runner.count > 0, !DescriptorReserve.isLeft(afterUsing: runner.latestDescriptor) else {
      return
    }
    throw .systemCall("starting '\(program)'", EMFILE)
  }

  /// Releases what is kept for later processes.
  func giveBackSpares() { for run in runs.values { run.records.rest() } }

  // MARK: Any number of jobs

  nonisolated(nonsending) func start(_ job: Job) async -> JobStart {
    let bound = LoopBound(job)
    return await withCheckedContinuation { continuation in
      let start = LoopBound(StartOnce(continuation))
      let end = Task(executorPreference: loop) { [self] () -> LoopBound<JobEnd> in
        do {
          return LoopBound(
            try await run(isolation: nil, bound.value) { handle, _ in
              start.value.resume(.begun(handle))
            } exited: {
            })
        } catch {
          start.value.resume(.refused(error))
          return LoopBound(JobEnd(cause: .refused(OperationFailure(error))))
        }
      }
      start.value.whenBegun = { [self] pid in ends[pid] = end }
    }
  }

  nonisolated(nonsending) func end(of handle: JobHandle, _ job: Job?) async -> JobEnd {
    guard case .process(let pid) = handle.name, let end = ends[pid] else {
      return JobEnd(cause: .lost("this host has not started it"))
    }
    defer { ends[pid] = nil }
    return await end.value.value
  }

  func stop(_ handles: [JobHandle], grace: Duration) {
    var pids: Set<Int32> = []
    for case .process(let pid) in handles.map(\.name) { pids.insert(pid) }
    if grace == .zero { runner.kill(pids) } else { for pid in pids { runner.end(pid, grace: grace) } }
  }

  nonisolated(nonsending) func recover(_ handle: JobHandle) async -> JobRecovery {
    if case .process(let pid) = handle.name, ends[pid] != nil { return .running(handle) }
    return .lost(reason: "processes end with their host")
  }

  // MARK: The end of a run

  nonisolated(nonsending) func endLeftovers(of scope: RunScope, mayHaveStarted: Bool) async -> [String] {
    // A run that has started nothing has left nothing, whatever other runs have left.
    guard mayHaveStarted || runs[scope.id] != nil else { return [] }
    let delayer = LoopDelayer(loop: loop)
    let groups = (runs[scope.id]?.leftGroups ?? []).filter(ProcessTable.isAlive(group:))
    if groups.isEmpty {
      let traces = RunTraces(of: scope.id, workspace: scope.workspace)
      guard await AdoptedProcesses.belong(to: traces, delayer: delayer, isKnown: runner.isRunning) else { return [] }
    }
    let traces = RunTraces(of: scope.id, workspace: scope.workspace, sessions: groups)
    let outcome = await LeftoverProcesses.end(traces, delayer: delayer)
    var notices: [String] = []
    if outcome.ended > 0 {
      notices.append(
        "ended \(Count.of(outcome.ended, "process", plural: "processes")) that operations had left running")
    }
    if let remaining = outcome.remainingText {
      notices.append("cannot end \(remaining), which operations left running")
    }
    if outcome.couldNotLook {
      notices.append(
        "cannot search for all processes that operations may have left running: out of descriptors or memory; run `penstock doctor` to search again"
      )
    }
    return notices
  }

  func forget(_ run: RunID) {
    runs.removeValue(forKey: run)?.records.remove()
  }

  /// Returns when the process of a running job started, without which its id does not identify it reliably for another host, or nil if it is not running.
  func started(_ handle: JobHandle) -> Int64? {
    guard case .process(let pid) = handle.name, runner.isRunning(pid) else { return nil }
    return ProcessIdentity.running(pid: pid)?.started
  }

  // MARK: Preparing

  func makeReady(_ job: Job) throws {
    if job.prepared == nil { job.prepared = try prepare(job) }
  }

  func discard(_ job: Job) {
    guard let process = job.prepared as? LocalProcess else { return }
    job.prepared = nil
    close(inputOf: process)
    job.files.giveBack(process.files)
  }

  private func take(_ job: Job) throws -> LocalProcess {
    guard let process = job.prepared as? LocalProcess else { return try prepare(job) }
    job.prepared = nil
    return process
  }

  func makeReadyBeside(_ job: Job, isolation: isolated (any Actor)?) async throws {
    guard job.prepared == nil, case .value(let value) = job.input else { return }
    let input = try await BlockingWork.run(isolation: isolation) { try Self.memoryFile(of: value) }
    do {
      job.prepared = try prepare(job, input: .descriptor(input))
    } catch {
      Glibc.close(input)
      throw error
    }
  }

  /// Prepares a process, with an existing input if given, which remains the caller's if this throws.
  private func prepare(_ job: Job, input given: ProcessRequest.Source? = nil) throws -> LocalProcess {
    let program = job.arguments[0]
    guard let executable = executables.locate(program, path: job.environment.path) else {
      throw OperationFailure(
        code: "command-not-found",
        message:
          "the command '\(program.escapedForMessage)' was not found in PATH (\(job.environment.path ?? "unset"))",
        exitCode: 127)
    }
    let files = try job.files.take()
    let list = job.environment.list(operation: job.operation, attempt: job.id.attempt, files: files)
    let pumped = job.masker == nil ? nil : logWatch.pump()
    let pipes: LocalProcess.Pipes?
    let input: ProcessRequest.Source
    do {
      pipes = try maskingPipes(job, files, pumped)
      if pipes != nil { try files.reserveResult() }
      input = try given ?? standardInput(job)
    } catch {
      job.files.giveBack(files)
      throw error
    }
    let request = ProcessRequest(
      executable: executable, arguments: CStringList(job.arguments.map(CString.init)), environment: list,
      directory: job.directory.map(CString.init), input: input,
      output: pipes.map { .descriptor($0.output.writeEnd) } ?? .file(files.output),
      error: pipes.map { .descriptor($0.error.writeEnd) } ?? .file(files.error), grace: job.grace)
    return LocalProcess(request: request, files: files, pipes: pipes, pumped: pumped, directory: job.directory)
  }

  /// Returns standard input; the caller has to close a descriptor.
  private func standardInput(_ job: Job) throws -> ProcessRequest.Source {
    switch job.input {
    case .none: return .empty
    case .file(let file):
      // It is passed to the process without being copied through this one.
      let opened = try file.open()
      do {
        return .descriptor(try opened.duplicate())
      } catch {
        throw ResultFile.unreadable(error)
      }
    case .value(let value): return .descriptor(try Self.memoryFile(of: value))
    }
  }

  /// Returns an unnamed file with the input that a process receives for a value, which the caller has to close.
  private static func memoryFile(of value: JSONValue) throws -> Int32 {
    var bytes: [UInt8] = []
    if case .string(let text) = value { bytes = Array(text.utf8) } else if value != .null { value.write(to: &bytes) }
    let descriptor = bytes.withUnsafeBytes { penstock_memory_file($0.baseAddress, bytes.count) }
    guard descriptor >= 0 else { throw EngineError.systemCall("memfd_create", -descriptor) }
    return descriptor
  }

  private func maskingPipes(
    _ job: Job, _ files: LogFiles, _ pumped: PumpedGrowths?
  ) throws -> LocalProcess.Pipes? {
    guard let masker = job.masker else { return nil }
    let loop = try masking.loop()
    let (output, error) = (files.outputLog.name, files.errorFile.name)
    return (
      try MaskingPipe(to: files.output, masker: masker, on: loop) { pumped?.note(output, size: $0) },
      try MaskingPipe(to: files.error, masker: masker, on: loop) { pumped?.note(error, size: $0) }
    )
  }

  /// Closes an input when there is nothing else to do, because freeing its memory may take long.
  private func close(inputOf process: LocalProcess) {
    if case .descriptor(let input) = process.request.input { loop.whenIdle { Glibc.close(input) } }
  }
}

/// Resumes a start once: when its process has begun, or could not.
private final class StartOnce {
  private var continuation: CheckedContinuation<JobStart, Never>?
  var whenBegun: (Int32) -> Void = { _ in }

  init(_ continuation: CheckedContinuation<JobStart, Never>) { self.continuation = continuation }

  func resume(_ start: JobStart) {
    if case .begun(let handle) = start, case .process(let pid) = handle.name { whenBegun(pid) }
    continuation?.resume(returning: start)
    continuation = nil
  }
}

/// The state of one run on this computer. *On the event loop.*
final class LocalRun {
  /// The groups of ended processes that still have members.
  var leftGroups: Set<Int32> = []
  let records = ProcessRecords()
  /// The directory of its logs, as soon as there are any.
  private(set) var logs: LogDirectory?

  func logDirectory(_ path: @autoclosure () throws(EngineError) -> String) throws(EngineError) -> LogDirectory {
    if let logs { return logs }
    let directory = LogDirectory(try path())
    logs = directory
    return directory
  }
}
