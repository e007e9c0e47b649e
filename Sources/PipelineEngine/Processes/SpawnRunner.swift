import CProcess
import Glibc
import OperatingSystem

/// Starts processes, without waiting until they execute their programs, and is notified of their ends through pidfds on the event loop.
///
/// Everything happens on the event loop; there is no thread per process and no copying of output.
final class SpawnRunner: @unchecked Sendable {
  // @unchecked: `running` is accessed only on the event loop, on which all members are called.

  private final class Running {
    let pid: Int32
    let descriptor: Int32
    let start: OpaquePointer
    let grace: Duration
    let exited: @Sendable (Int32) -> Void
    var token: EventLoop.Token = 0
    var timer: EventLoop.Token?
    var isEnding = false
    /// Whether another thread is looking for members of its group.
    var isLookedAt = false
    var exit: Result<ProcessExit, ProcessStartError>?
    var continuation: CheckedContinuation<Void, Never>?

    init(
      pid: Int32, descriptor: Int32, start: OpaquePointer, grace: Duration, exited: @escaping @Sendable (Int32) -> Void
    ) {
      self.exited = exited
      self.pid = pid
      self.descriptor = descriptor
      self.start = start
      self.grace = grace
    }

    /// Signals its group, which it leads as soon as it executes its program.
    func signal(_ number: Int32) {
      penstock_await_start(start)
      Glibc.kill(-pid, number)
    }
  }

  /// How often a process is checked whose leader has ended and cannot be reaped yet. The end of a process group, or of tracing, is not reported.
  private static let lookInterval = Duration.milliseconds(20)
  private static let emptyFile = CString("/dev/null")

  private let loop: EventLoop
  /// Standard input of every process without input, or -1; sharing one descriptor is faster than opening it for each. The shared position, flags and
  /// locks are irrelevant for /dev/null.
  private let empty: Int32
  private var running: [Int32: Running] = [:]
  /// The descriptor of the most recently started process, which was the lowest free one then.
  private(set) var latestDescriptor: Int32 = 0

  init(loop: EventLoop) {
    self.loop = loop
    empty = open(Self.emptyFile.pointer, O_RDONLY | O_CLOEXEC)
  }

  deinit { if empty >= 0 { close(empty) } }

  /// Starts a process in its own session and returns when it has ended.
  ///
  /// When the task is cancelled, the process group receives SIGTERM, and SIGKILL after the request's grace period; the call still returns only when
  /// the process has ended. `started` is called with the process id right after the start, when the process may still fail to execute its program;
  /// `exited` is called with it when the process has been reaped, before the caller continues.
  func run(
    isolation: isolated (any Actor)? = #isolation, _ request: borrowing ProcessRequest, started: (Int32) -> Void,
    exited: @escaping @Sendable (Int32) -> Void
  ) async throws(ProcessStartError) -> ProcessExit {
    var (pid, descriptor): (Int32, Int32) = (0, -1)
    var start: OpaquePointer?
    let error = begin(request, &start, &pid, &descriptor)
    guard error == 0, let start else { throw ProcessStartError(number: error) }
    let process = Running(pid: pid, descriptor: descriptor, start: start, grace: request.grace, exited: exited)
    do {
      process.token = try loop.watch(process.descriptor, once: true) { [self] in ended(process) }
    } catch {
      process.signal(SIGKILL)
      waitpid(process.pid, nil, 0)
      close(process.descriptor)
      _ = penstock_finish_start(process.start)
      throw ProcessStartError(number: ENOMEM)
    }
    let identifier = pid
    running[pid] = process
    latestDescriptor = descriptor
    started(pid)
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        if process.exit != nil { continuation.resume() } else { process.continuation = continuation }
      }
    } onCancel: {
      loop.execute { [weak self, identifier] in self?.end(identifier) }
    }
    // What the process was given must stay in memory until it has ended.
    extendLifetime(request)
    return try process.exit?.get() ?? ProcessExit(code: nil, signal: SIGKILL)
  }

  /// Kills the groups of these processes immediately, without a grace period. Ids of processes that have been reaped are ignored.
  func kill(_ pids: Set<Int32>) {
    let processes = pids.compactMap { running[$0] }
    // Individually first: a process that is still starting leads no group yet, and may hang.
    for process in processes { Glibc.kill(process.pid, SIGKILL) }
    for process in processes { process.signal(SIGKILL) }
  }

  /// Whether this runner started the process, for any run, and has not reaped it yet.
  func isRunning(_ pid: Int32) -> Bool { running[pid] != nil }

  /// The number of running processes.
  var count: Int { running.count }

  /// Starts the process. The caller keeps the request, with everything it points to, until the process has ended.
  private func begin(
    _ request: borrowing ProcessRequest, _ start: inout OpaquePointer?, _ pid: inout Int32, _ descriptor: inout Int32
  ) -> Int32 {
    func stream(_ sink: ProcessRequest.Sink) -> penstock_stream {
      switch sink {
      case .file(let path): penstock_stream(descriptor: -1, path: path.pointer)
      case .descriptor(let descriptor): penstock_stream(descriptor: descriptor, path: nil)
      }
    }
    let executable = request.executable
    let directory = request.directory
    let (output, error) = (request.output, request.error)
    let (arguments, environment) = (request.arguments, request.environment)
    let input =
      switch request.input {
      case .empty: penstock_stream(descriptor: empty, path: Self.emptyFile.pointer)
      case .descriptor(let descriptor): penstock_stream(descriptor: descriptor, path: nil)
      }
    var record = penstock_record_place(
      descriptor: request.record?.descriptor ?? -1, offset: request.record?.offset ?? 0,
      operation: request.record?.operation ?? 0, attempt: request.record?.attempt ?? 0)
    return arguments.withPointers { arguments in
      environment.withPointers { environment in
        var raw = penstock_spawn_request(
          path: executable.pointer, arguments: arguments, environment: environment, directory: directory?.pointer,
          input: input, output: stream(output), error: stream(error),
          inherited: nil, inherited_count: 0)
        return penstock_start_process(&raw, &record, &start, &pid, &descriptor)
      }
    }
  }

  /// Handles the end of a leader. Its id stays reserved until it is reaped, so the group can be signalled safely until then: a cancelled group is
  /// reaped when its members have ended too, or its grace period is over. A traced process is reaped when the tracer has noticed its end.
  private func ended(_ process: Running) {
    guard process.exit == nil, !process.isLookedAt else { return }
    guard process.timer != nil else { return reapOrLookAgain(process) }
    process.isLookedAt = true
    let (group, loop, bound) = (process.pid, loop, LoopBound(process))
    // A scan of all of /proc, which takes longer than the event loop may spend on one process.
    Task(executorPreference: globalConcurrentExecutor) { [weak self] in
      let hasMembers = Self.groupHasMembers(group)
      loop.execute { [weak self] in self?.looked(at: bound.value, hasMembers: hasMembers) }
    }
  }

  private func looked(at process: Running, hasMembers: Bool) {
    process.isLookedAt = false
    // Its grace period may have ended in the meantime.
    guard process.exit == nil else { return }
    if hasMembers, process.timer != nil { lookAgain(process) } else { reapOrLookAgain(process) }
  }

  private func reapOrLookAgain(_ process: Running) {
    if !reap(process) { lookAgain(process) }
  }

  private func lookAgain(_ process: Running) {
    _ = loop.schedule(after: Self.lookInterval) { [weak self] in self?.ended(process) }
  }

  /// Reaps a process if it has ended and is not traced. Returns whether it has been reaped; if other code reaped it, it ended with an unknown status.
  @discardableResult
  private func reap(_ process: Running) -> Bool {
    var raw = penstock_exit()
    let reaped = penstock_reap(process.descriptor, &raw)
    guard reaped != EAGAIN, reaped != EINTR else { return false }
    running[process.pid] = nil
    if let timer = process.timer { loop.cancelTimer(timer) }
    // If its end was not seen, closing the descriptor alone would not end the watch while a process that has just been started still has copies of
    // all descriptors.
    loop.unwatch(process.token)
    close(process.descriptor)
    let error = penstock_finish_start(process.start)
    if error != 0 {
      process.exit = .failure(ProcessStartError(number: error))
    } else if reaped != 0 {
      process.exit = .success(ProcessExit(code: nil, signal: nil, leftGroup: ProcessTable.isAlive(group: process.pid)))
    } else {
      process.exit = .success(
        ProcessExit(
          code: raw.signal == 0 ? raw.exit_code : nil, signal: raw.signal == 0 ? nil : raw.signal,
          leftGroup: ProcessTable.isAlive(group: process.pid),
          used: ProcessorTime(user: raw.user_time, system: raw.system_time)))
    }
    // What waits for the slot runs first: the next process starts while this one's end is still being recorded.
    process.exited(process.pid)
    process.continuation?.resume()
    process.continuation = nil
    return true
  }

  /// Requests the group to end, and kills it after the grace period, by default that of its request.
  func end(_ pid: Int32, grace: Duration? = nil) {
    guard let process = running[pid], !process.isEnding else { return }
    process.isEnding = true
    process.signal(SIGTERM)
    // A stopped group would never handle SIGTERM.
    process.signal(SIGCONT)
    process.timer = loop.schedule(after: grace ?? process.grace) { [weak self] in
      process.timer = nil
      Glibc.kill(-pid, SIGKILL)
      // A leader that ended long ago is not reported again.
      self?.reap(process)
    }
  }

  /// Whether the group has members other than its unreaped leader.
  private static func groupHasMembers(_ group: Int32) -> Bool {
    let failures = LookFailures.count
    let hasMembers = ProcessTable.members(ofGroup: group).contains { $0 != group }
    // If the scan was incomplete, they get the full grace period.
    return hasMembers || LookFailures.count != failures
  }
}
