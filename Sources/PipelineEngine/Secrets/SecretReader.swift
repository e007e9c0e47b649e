import Glibc
import OperatingSystem
import PipelineLanguage
import Values

/// Reads the secrets of a pipeline when its run starts.
///
/// A secret's command is run like an operation's, by the process runner: it is cancelled with the run, and its output stays in memory, up to a limit
/// that is enforced while it prints. Pipes are read on the event loop as data arrives. (The monitor of swift-subprocess waits with all signals
/// unblocked, so Ctrl-C would terminate a host that had used it.)
struct SecretReader {
  /// The maximum size of a secret in bytes; anything longer is not a secret but a file named by mistake.
  private static let limit = 1 << 20
  private static let grace = Duration.seconds(10)
  /// How long a secret that is a pipe may take to be closed.
  static let patience = Duration.seconds(60)
  /// The maximum output of a failed command, in bytes, that is masked line by line in its error message; with more, there is no message.
  private static let maskedLimit = 64 << 10

  /// The reason why one secret cannot be read.
  private struct Failure: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  let local: LocalExecutor
  /// The environment in which secrets are looked up, and which their commands inherit.
  let environment: HostEnvironment
  /// The directory that relative paths are resolved against and in which commands are run.
  let directory: String
  /// The secrets that are already known.
  var inherited: [String] = []
  var patience = patience
  /// Called on the event loop when a command has started, and when it has been reaped.
  var onProcess: @Sendable (_ pid: Int32, _ isRunning: Bool) -> Void = { _, _ in }

  /// Called on the event loop before each secret, with its name.
  var onSecret: @Sendable (String) -> Void = { _ in }

  /// Where it waits for descriptors and memory; if nil, it fails without them.
  var shortages: ShortageLine?
  /// Called on the event loop when a resource is lacking, and with nil when reading continues.
  var onShortage: @Sendable (EngineError?) -> Void = { _ in }

  /// Called when the directory of the run cannot be written; returns when that should be retried.
  var waitForFiles: @Sendable (EngineError) async throws -> Void = { throw $0 }

  /// Returns a place in the file of process records for a command that is about to start, which may hold what an `exclusive` name or a turn protects.
  /// The place is returned afterwards.
  var recordPlace: @Sendable () throws -> ProcessRecords.Place? = { nil }
  var giveBackPlace: @Sendable (_ place: ProcessRecords.Place, _ isKept: Bool) -> Void = { _, _ in }

  /// Returns the value of every secret, by name.
  ///
  /// - Throws: ``EngineError/secrets(_:)`` with all secrets that cannot be read, so that they can be fixed together, or `CancellationError`.
  func read(
    _ secrets: [PipelineDefinition.Secret], isolation: isolated (any Actor)? = #isolation
  ) async throws -> [String: String] {
    var values: [String: String] = [:]
    var unreadable: [UnreadableSecret] = []
    for secret in secrets {
      onSecret(secret.name)
      do {
        values[secret.name] = try await readWaiting(secret, known: Array(values.values), isolation: isolation)
      } catch let failure as Failure {
        unreadable.append(UnreadableSecret(name: secret.name, reason: failure.reason))
      }
    }
    guard unreadable.isEmpty else { throw EngineError.secrets(unreadable) }
    return values
  }

  private func readWaiting(
    _ secret: PipelineDefinition.Secret, known: [String], isolation: isolated (any Actor)?
  ) async throws -> String {
    let place = ShortageLine.Place()
    defer { shortages?.leave(place) }
    while true {
      do {
        return try await read(secret, known: known, isolation: isolation) { leaveLine(place) }
      } catch let error as EngineError {
        guard error.isShortage else {
          try await waitForFiles(error)
          continue
        }
        guard let shortages else { throw error }
        onShortage(error)
        try await shortages.wait(in: place, for: error)
      }
    }
  }

  /// Leaves the queue, because reading continues.
  private func leaveLine(_ place: ShortageLine.Place) {
    guard let shortages, place.isInLine else { return }
    shortages.leave(place)
    onShortage(nil)
  }

  private func read(
    _ secret: PipelineDefinition.Secret, known: [String], isolation: isolated (any Actor)?, begun: () -> Void
  ) async throws -> String {
    switch secret.origin {
    case .environment(let name):
      guard let value = environment.secrets[name] else { throw Failure(SecretPreview.unsetVariable(name)) }
      return value
    case .file(let path):
      guard let absolute = SecretFile.absolute(path, in: directory, environment.secrets) else {
        throw Failure(SecretPreview.unsetVariable(SecretFile.folderVariable))
      }
      return try text(of: try await contents(of: absolute, isolation: isolation, begun: begun))
    case .command(let arguments):
      return try text(of: try await output(of: arguments, known: known, isolation: isolation, begun: begun))
    }
  }

  private func output(
    of arguments: [String], known: [String], isolation: isolated (any Actor)?, begun: () -> Void
  ) async throws -> [UInt8] {
    guard let program = arguments.first else { throw Failure("its command is empty; name a program") }
    let variables = environment.inherited
    guard let executable = local.executables.locate(program, path: variables["PATH"]) else {
      throw Failure("its command '\(program)' was not found in PATH")
    }
    try local.leaveReserve(for: program)
    let output = try Self.pipe()
    let error = try Self.pipe()
    let printed = try StreamCollector(output.readEnd, limit: Self.limit, excess: .ends, loop: local.loop)
    let complaints = try StreamCollector(
      error.readEnd, limit: Self.maskedLimit, excess: .dropsBeginning, loop: local.loop)
    let place = try recordPlace()
    var hasLeft = false
    defer { if let place { giveBackPlace(place, hasLeft) } }
    let request = ProcessRequest(
      executable: executable, arguments: CStringList(arguments.map(CString.init)), environment: variables.list,
      directory: CString(directory), input: .empty, output: .descriptor(output.writeEnd),
      error: .descriptor(error.writeEnd), grace: Self.grace, record: place)
    let exit: ProcessExit
    do {
      let runner = local.runner
      exit = try await runner.run(
        isolation: isolation, request,
        started: { pid in
          onProcess(pid, true)
          begun()
          printed.whenEnded {
            // A command that prints without end is killed, because its output is no longer read.
            if case .exceeded = printed.end { runner.kill([pid]) }
          }
        }, exited: { [onProcess] in onProcess($0, false) })
    } catch {
      let failure = EngineError.systemCall("starting '\(program)'", error.number)
      if shortages != nil, failure.isShortage { throw failure }
      let reason = SystemError.text(of: error.number)
      throw Failure("its command '\(program)' could not be run: \(reason)")
    }
    hasLeft = exit.leftGroup
    printed.finish()
    complaints.finish()
    // Their descriptors are in use until here.
    extendLifetime(output)
    extendLifetime(error)
    try Task.checkCancellation()
    if case .exceeded = printed.end {
      let limit = SizeNotation.format(Int64(Self.limit))
      throw Failure("its command '\(program)' printed more than \(limit), the limit of a secret, and was killed")
    }
    guard exit.code == 0 else {
      let complaint = complaint(complaints.bytes, printed: printed.bytes, known)
      throw Failure("its command '\(program)' \(exit.summary)\(complaint.map { ": \($0)" } ?? "")")
    }
    return printed.bytes
  }

  private static func pipe() throws(EngineError) -> OutputPipe {
    do throws(SystemError) { return try OutputPipe() } catch { throw EngineError(error) }
  }

  /// Returns the content of a secret's file: a regular file, or a pipe such as a process substitution.
  private func contents(
    of path: String, isolation: isolated (any Actor)?, begun: () -> Void
  ) async throws -> [UInt8] {
    do throws(InputFileError) {
      let file = try InputFile(path, accepts: .streams)
      switch file.kind {
      case .regular: return try await Self.read(path).get()
      case .pipe:
        begun()
        return try await stream(file, isolation: isolation).get()
      default: throw .unsuitable(path: path, file.kind)
      }
    } catch {
      try Task.checkCancellation()
      if shortages != nil, case .system(_, let number) = error, LookFailures.isShortage(number) {
        throw EngineError.systemCall("open '\(path)'", number)
      }
      throw Failure(SecretPreview.unreadableFile(error))
    }
  }

  /// Reads a regular file off the event loop, because it may be on a slow or remote disk.
  private static func read(_ path: String) async -> Result<[UInt8], InputFileError> {
    await BlockingWork.run {
      Result { () throws(InputFileError) in try InputFile.read(path, limit: limit) }
    }
  }

  /// Reads a pipe to its end, on the event loop as data arrives.
  private func stream(
    _ file: borrowing InputFile, isolation: isolated (any Actor)?
  ) async -> Result<[UInt8], InputFileError> {
    let path = file.path
    let loop = local.loop
    let collector: StreamCollector
    do {
      collector = try StreamCollector(file.descriptor, limit: Self.limit, excess: .ends, loop: loop)
    } catch {
      return .failure(.system(path: path, number: EMFILE))
    }
    let timer = loop.schedule(after: patience) { collector.stop() }
    defer { loop.cancelTimer(timer) }
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        collector.whenEnded { continuation.resume() }
      }
    } onCancel: {
      loop.execute { collector.stop() }
    }
    return switch collector.end {
    case .closed where collector.bytes.isEmpty: .failure(.empty(path: path))
    case .closed: .success(collector.bytes)
    case .exceeded: .failure(.tooLong(path: path, limit: Self.limit))
    case .failed(let number): .failure(.system(path: path, number: number))
    case nil: .failure(.unfinished(path: path, patience))
    }
  }

  /// Returns the last line of a command's error output, for a message that is kept: without the known secrets, and without what the command printed
  /// as the secret before it failed. Returns nil if that is too large to search for.
  private func complaint(_ errors: [UInt8], printed: [UInt8], _ known: [String]) -> String? {
    guard printed.count <= Self.maskedLimit else { return nil }
    let masker = SecretMasker(known + inherited + [Self.trimmed(String(decoding: printed, as: UTF8.self))])
    return String(decoding: errors, as: UTF8.self).split(separator: "\n").last.map { masker.mask(String($0)) }
  }

  private func text(of bytes: [UInt8]) throws(Failure) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("it is not UTF-8 text")
    }
    return Self.trimmed(text)
  }

  /// Returns the text without its trailing newline, which editors and `echo` add.
  private static func trimmed(_ text: String) -> String { text.hasSuffix("\n") ? String(text.dropLast()) : text }
}
