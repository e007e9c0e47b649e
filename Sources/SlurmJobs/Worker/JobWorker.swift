import CProcess
import Glibc
import OperatingSystem

/// Runs one attempt on a node: `penstock worker DIRECTORY`, the only program that Slurm starts.
///
/// It claims the attempt, runs its program in a session of its own, ends it when it is asked to, and writes the end. Whoever finds an attempt claimed does
/// nothing: Slurm may start a job again, or after the host has given it up.
package struct JobWorker {
  private let attempt: AttemptFolder
  private let node: String
  private let job: String
  private let masking: OutputMasking

  /// Runs the attempt that the batch directory and the variables of Slurm name.
  ///
  /// - Parameters:
  ///   - directory: The directory of the batch.
  ///   - masking: Masks the output of a program that receives secrets.
  /// - Returns: The exit code: 0 whatever became of the attempt, if that is written; otherwise 1, with the reason on standard error.
  package static func run(directory: String, masking: @escaping OutputMasking) -> Int32 {
    let variables = Variables()
    guard let batch = BatchFolder(path: directory), variables["SLURM_JOB_NAME"] == batch.token.text else {
      return complain("'\(directory)' is not the directory of this job")
    }
    guard let attempt = batch.attempt(variables["SLURM_ARRAY_TASK_ID"].flatMap { Int($0) } ?? 0) else {
      return complain("'\(directory)' is not visible on this node, or does not list this job")
    }
    let array = variables["SLURM_ARRAY_JOB_ID"].map { "\($0)_\(variables["SLURM_ARRAY_TASK_ID"] ?? "0")" }
    let worker = JobWorker(
      attempt: attempt, node: variables["SLURMD_NODENAME"] ?? HostName.own,
      job: array ?? variables["SLURM_JOB_ID"] ?? "", masking: masking)
    do throws(SystemError) {
      // Before the claim: an attempt whose end could not be written must not begin.
      if attempt.claim == nil { try attempt.reserveRecord() }
      guard try attempt.claim(as: .worker("\(worker.job) on \(worker.node)")) else { return 0 }
      // Only the logs are shown later without it.
      try? attempt.tellBeginning()
      try attempt.write(worker.end(variables))
      return 0
    } catch {
      return complain("cannot record the attempt in '\(attempt.path)': \(error)")
    }
  }

  private static func complain(_ message: String) -> Int32 {
    try? SystemCall.writeAll(Array("penstock worker: \(message)\n".utf8), to: STDERR_FILENO)
    return 1
  }

  /// Runs the program to its end.
  private func end(_ variables: Variables) throws(SystemError) -> EndRecord {
    let found = SharedFile.read(attempt.order, limit: AttemptFolder.orderLimit).flatMap { JobOrder(bytes: $0) }
    guard var order = found, order.token == attempt.token else {
      return refusal("submit-refused", "'\(attempt.order)' cannot be read on node \(node)")
    }
    let secret = order.hasSecrets ? attempt.takeSecrets() : nil
    if let secret {
      (order.arguments, order.environment) = (secret.arguments, secret.environment)
      _ = penstock_hide_process()
    } else if order.hasSecrets {
      return refusal("submit-refused", "'\(attempt.secrets)' cannot be read and removed on node \(node)")
    }
    // Before there is anything to stop.
    var watch = StopWatch(attempt: attempt, order: order)
    for path in [attempt.output, attempt.error] { try SharedFile.write([], to: path) }
    // What leaves the session of the program becomes a child of this process.
    _ = penstock_adopt_orphans()
    let environment = variables.environment(for: order, result: attempt.result)
    let program = order.arguments[0]
    guard let path = ProgramSearch.locate(program, path: environment["PATH"]) else {
      return refusal("command-not-found", "the command '\(program)' was not found in PATH on node \(node)", 127)
    }
    var pid: pid_t = 0
    var descriptor: Int32 = -1
    let streams = try WorkerStreams(of: attempt, order, secret, masking)
    let number = spawn(order, path, environment, streams, &pid, &descriptor)
    guard number == 0 else {
      _ = streams.finish()
      return refusal(of: order, path, number)
    }
    streams.closeCopies()
    defer { close(descriptor) }
    watch.wait(for: pid, descriptor)
    var exit = penstock_exit()
    _ = penstock_reap(descriptor, &exit)
    Orphans.kill()
    let cut = streams.finish()
    var record = EndRecord(
      cause: exit.signal != 0 ? .signal(exit.signal) : .exited(exit.exit_code), wasStopped: watch.isStopped, node: node,
      userTime: exit.user_time, systemTime: exit.system_time, peakMemory: exit.maximum_resident)
    if watch.isTimedOut { record.cause = .timedOut }
    if cut != 0 { record.cut = cut }
    return record
  }

  private func spawn(
    _ order: JobOrder, _ path: String, _ environment: [String: String], _ streams: WorkerStreams, _ pid: inout pid_t,
    _ descriptor: inout Int32
  ) -> Int32 {
    let arguments = CArray(order.arguments)
    let variables = CArray(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
    let paths = CArray([path, order.directory] + streams.paths)
    func stream(_ index: Int) -> penstock_stream {
      penstock_stream(descriptor: streams.descriptors[index], path: paths[index + 2])
    }
    var request = penstock_spawn_request(
      path: paths[0], arguments: arguments.pointers, environment: variables.pointers, directory: paths[1],
      input: stream(0), output: stream(1), error: stream(2), inherited: nil, inherited_count: 0)
    let number = penstock_spawn(&request, &pid, &descriptor)
    extendLifetime(arguments)
    extendLifetime(variables)
    extendLifetime(paths)
    return number
  }

  private func refusal(_ code: String, _ message: String, _ exitCode: Int32? = nil) -> EndRecord {
    EndRecord(cause: .refused(code: code, message: message, exitCode: exitCode), node: node)
  }

  private func refusal(of order: JobOrder, _ path: String, _ number: Int32) -> EndRecord {
    var status = stat()
    if stat(order.directory, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR {
      return refusal("directory-not-found", "the directory '\(order.directory)' does not exist on node \(node)")
    }
    switch number {
    case ENOENT, ENOTDIR:
      return refusal(
        "command-not-found", "'\(path)' does not exist on node \(node), or its interpreter does not", 127)
    case E2BIG:
      return refusal(
        "arguments-too-long",
        "the arguments and environment are too long for the system; inject large values on standard input")
    default:
      return refusal(
        "command-not-executable", "'\(path)' cannot be executed on node \(node): \(SystemError.text(of: number))", 126)
    }
  }
}
