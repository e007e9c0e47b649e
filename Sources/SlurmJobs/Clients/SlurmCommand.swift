import CProcess
import Glibc
import OperatingSystem

/// Runs one client of Slurm and waits for it, for commands that do nothing else meanwhile.
package enum SlurmCommand {
  /// The outcome of a call.
  package struct Reply: Sendable, Hashable {
    /// The exit code; nil if the client could not be started, or was killed.
    package var code: Int32?
    package var output: String
    package var errors: String

    package init(code: Int32?, output: String = "", errors: String = "") {
      self.code = code
      self.output = output
      self.errors = errors
    }

    /// The last line that it printed as an error, without its name.
    package var complaint: String {
      let line = errors.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) }.map(String.init)
      return line.map { $0.replacing(/^s[a-z]+: (error: )?/, with: "") } ?? "it printed no reason"
    }
  }

  /// The most that is read of an answer, in bytes.
  private static let answerLimit = 1 << 20

  /// Returns the path of a client; nil if it is not in `PATH`.
  package static func locate(_ program: String) -> String? {
    ProgramSearch.locate(program, path: Variables()["PATH"])
  }

  /// Calls a client.
  ///
  /// - Parameters:
  ///   - program: The name of the client.
  ///   - arguments: Its arguments.
  ///   - input: Its standard input.
  ///   - directory: Its working directory; nil for that of this process.
  ///   - patience: The time after which it is killed, in seconds.
  /// - Returns: What it printed, and its exit code.
  package static func run(
    _ program: String, _ arguments: [String], input: String = "", directory: String? = nil, patience: Int32 = 30
  ) -> Reply {
    guard let path = locate(program) else {
      return Reply(code: nil, errors: "'\(program)' was not found in PATH")
    }
    let files = [Array(input.utf8), [], []].map { bytes in
      bytes.withUnsafeBytes { penstock_memory_file($0.baseAddress, $0.count) }
    }
    defer { for file in files where file >= 0 { close(file) } }
    guard files.allSatisfy({ $0 >= 0 }) else {
      return Reply(code: nil, errors: SystemError.text(of: -(files.min() ?? 0)))
    }
    lseek(files[0], 0, SEEK_SET)
    let list = CArray([program] + arguments)
    let variables = CArray(ClientVariables.environment(of: Variables(), for: program))
    let paths = CArray([path] + (directory.map { [$0] } ?? []))
    func stream(_ file: Int32) -> penstock_stream { penstock_stream(descriptor: file, path: nil) }
    var request = penstock_spawn_request(
      path: paths[0], arguments: list.pointers, environment: variables.pointers,
      directory: directory == nil ? nil : paths[1], input: stream(files[0]), output: stream(files[1]),
      error: stream(files[2]), inherited: nil, inherited_count: 0)
    var (pid, descriptor): (pid_t, Int32) = (0, -1)
    let number = penstock_spawn(&request, &pid, &descriptor)
    extendLifetime(list)
    extendLifetime(variables)
    extendLifetime(paths)
    guard number == 0 else { return Reply(code: nil, errors: SystemError.text(of: number)) }
    defer { close(descriptor) }
    var exit = penstock_exit()
    var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let isOver = SystemCall.retrying { Int(poll(&file, 1, patience * 1000)) } > 0
    if !isOver {
      kill(-pid, SIGKILL)
      _ = SystemCall.retrying { Int(poll(&file, 1, -1)) }
    }
    _ = penstock_reap(descriptor, &exit)
    let silence = isOver ? "" : "'\(program)' did not answer within \(patience) seconds"
    return Reply(
      code: exit.exit_code >= 0 ? exit.exit_code : nil, output: text(files[1]), errors: text(files[2]) + silence)
  }

  private static func text(_ file: Int32) -> String {
    var status = stat()
    guard fstat(file, &status) == 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), answerLimit))
    let count = bytes.withUnsafeMutableBytes { (try? SystemCall.fill($0, from: file, at: 0)) ?? 0 }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

/// The environment of Slurm's clients. The user's own variables for them would change what they do and print.
package enum ClientVariables {
  /// What is set for them.
  package static let own = ["LC_ALL": "C", "SLURM_TIME_FORMAT": "%s"]

  /// Whether a variable of the host does not reach them.
  package static func isDropped(_ name: String) -> Bool {
    ["SBATCH_", "SLURM_", "SQUEUE_", "SCANCEL_", "SINFO_", "SACCT_"].contains(where: name.hasPrefix)
      && name != "SLURM_CONF"
  }

  /// Whether `sbatch` gets a variable of the host. It exports all of its environment to the job, because with `--export=NIL`, or a list, Slurm 22.05 starts
  /// a login shell for each job, which takes longer than most jobs.
  package static func isSubmitted(_ name: String) -> Bool { name == "SLURM_CONF" }

  static func environment(of variables: Variables, for program: String) -> [String] {
    let isSubmission = program == "sbatch"
    let kept = variables.all.filter { isSubmission ? isSubmitted($0.key) : !isDropped($0.key) }
      .merging(isSubmission ? [:] : own) { $1 }
    return kept.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}
