import Glibc
import OperatingSystem
import PipelineLanguage
import Values

/// Reads the secrets of a pipeline when its run starts.
///
/// A secret's command is run like an operation's, by the process runner: it can be cancelled with the run, and what it prints stays in memory, up to a limit
/// that is enforced while it prints. Pipes are read on the event loop, as far as they are filled. (The monitor of swift-subprocess waits with all signals unblocked, so that Ctrl-C would end a host that had used it.)
struct SecretReader {
  /// Longer ones are no secrets but files that happen to be named as such.
  private static let limit = 1 << 20
  private static let grace = Duration.seconds(10)
  /// How long a secret that is a pipe may take to its end.
  static let patience = Duration.seconds(60)
  /// So much output of a command that failed is masked in its complaint, line by line; with more there is no complaint.
  private static let maskedLimit = 64 << 10

  /// Why one secret cannot be read.
  private struct Failure: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  let local: LocalExecutor
  /// Where secrets of the environment are found, and what their commands inherit.
  let environment: HostEnvironment
  /// Where relative paths start from, and commands are run.
  let directory: String
  /// The secrets that are known already.
  var inherited: [String] = []
  var patience = patience
  /// Called on the loop when a command has started, and when it has been reaped.
  var onProcess: @Sendable (_ pid: Int32, _ isRunning: Bool) -> Void = { _, _ in }

  /// Called on the loop before each secret, with its name.
  var onSecret: @Sendable (String) -> Void = { _ in }

  /// Where it waits for descriptors and memory; nil where it fails without them.
  var shortages: ShortageLine?
  /// Called on the loop when it lacks one, and with nil when it goes on.
  var onShortage: @Sendable (EngineError?) -> Void = { _ in }

  /// Called when the directory of the run cannot be written, and returns when that is to be tried again.
  var waitForFiles: @Sendable (EngineError) async throws -> Void = { throw $0 }

  /// Where a command that is about to be started records itself: it may hold what an `exclusive` name or a turn stands for. What it takes of the file of
  /// records, it gives back.
  var recordPlace: @Sendable () throws -> ProcessRecords.Place? = { nil }
  var giveBackPlace: @Sendable (_ place: ProcessRecords.Place, _ isKept: Bool) -> Void = { _, _ in }

  /// The value of every secret, by name.
  ///
  /// - Throws: ``EngineError/secrets(_:)`` with all that cannot be read, so that they can be fixed in one go, or `CancellationError`.
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

  /// It has what it lacked, and goes on.
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
    guard let program = arguments.first else { throw Failure("its command is empty") }
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
            // Whoever prints without end is not asked: nobody reads it any more.
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
    // Their descriptors are used until here.
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

  /// What is in a secret's file: a regular one, or a pipe such as a process substitution.
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

  /// Reads a regular file beside the event loop: it may be on a disk that is slow, or elsewhere.
  private static func read(_ path: String) async -> Result<[UInt8], InputFileError> {
    await BlockingWork.run {
      Result { () throws(InputFileError) in try InputFile.read(path, limit: limit) }
    }
  }

  /// Reads a pipe to its end, while others use the event loop.
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

  /// The last line of what a command printed as errors, for a message that is kept: without the secrets that are known, and
  /// without what the command printed as the secret before it failed. Nil where that is too much to be looked for.
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

  /// The text without its last newline, which editors and `echo` add.
  private static func trimmed(_ text: String) -> String { text.hasSuffix("\n") ? String(text.dropLast()) : text }
}
