import CProcess
import Glibc
import Values

/// Reads the secrets of a pipeline when its run starts.
///
/// A secret's command is run like an operation's, by the process runner: it can be cancelled with the run, and what it prints stays in memory.
/// (The monitor of swift-subprocess waits with all signals unblocked, so that Ctrl-C would end a host that had used it.)
struct SecretReader {
  /// Longer ones are no secrets but files that happen to be named as such.
  private static let limit = 1 << 20
  private static let grace = Duration.seconds(10)
  /// So much output of a command that failed is masked in its complaint, line by line; with more there is no complaint.
  private static let maskedLimit = 64 << 10

  /// Why one secret cannot be read.
  private struct Failure: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  let services: HostServices
  /// Where relative paths start from, and commands are run.
  let directory: String
  /// The secrets that are known already.
  var inherited: [String] = []

  /// The value of every secret, by name.
  ///
  /// - Throws: ``EngineError/secrets(_:)`` with all that cannot be read, so that they can be mended in one go, or `CancellationError`.
  func read(
    _ secrets: [PipelineDefinition.Secret], isolation: isolated (any Actor)? = #isolation
  ) async throws -> [String: String] {
    var values: [String: String] = [:]
    var unreadable: [UnreadableSecret] = []
    for secret in secrets {
      do {
        values[secret.name] = try await read(secret, known: Array(values.values), isolation: isolation)
      } catch let failure as Failure {
        unreadable.append(UnreadableSecret(name: secret.name, reason: failure.reason))
      }
    }
    guard unreadable.isEmpty else { throw EngineError.secrets(unreadable) }
    return values
  }

  private func read(
    _ secret: PipelineDefinition.Secret, known: [String], isolation: isolated (any Actor)?
  ) async throws -> String {
    switch secret.origin {
    case .environment(let name):
      guard let value = getenv(name) else {
        throw Failure(SecretPreview.unsetVariable(name))
      }
      return String(cString: value)
    case .file(let path):
      let absolute = Self.absolute(path, in: directory)
      guard let bytes = FileBytes.read(absolute) else { throw Failure(SecretPreview.unreadableFile(absolute, errno)) }
      return try text(of: bytes)
    case .command(let arguments):
      return try text(of: try await output(of: arguments, known: known, isolation: isolation))
    }
  }

  /// Where a secret's file is.
  static func absolute(_ path: String, in directory: String) -> String {
    path.hasPrefix("/") ? path : "\(directory)/\(path)"
  }

  private func output(
    of arguments: [String], known: [String], isolation: isolated (any Actor)?
  ) async throws -> [UInt8] {
    guard let program = arguments.first else { throw Failure("its command is empty") }
    guard let executable = services.executables.locate(program, path: services.inherited["PATH"]) else {
      throw Failure("its command '\(program)' was not found in PATH")
    }
    let output = try memoryFile()
    defer { close(output) }
    let error = try memoryFile()
    defer { close(error) }
    let request = ProcessRequest(
      executable: executable, arguments: CStringList(arguments.map(CString.init)), environment: services.inherited.list,
      directory: CString(directory), input: .empty, output: .descriptor(output), error: .descriptor(error),
      grace: Self.grace)
    let exit: ProcessExit
    do {
      exit = try await services.runner.run(isolation: isolation, request, started: { _ in }, exited: {})
    } catch {
      let reason = String(cString: strerror(error.number))
      throw Failure("its command '\(program)' could not be run: \(reason)")
    }
    try Task.checkCancellation()
    guard exit.code == 0 else {
      let end = exit.signal.map { "was ended by \(SignalName.name(of: $0))" } ?? "exited with code \(exit.code ?? -1)"
      let complaint = complaint(FileBytes.read(descriptor: error), printed: FileBytes.read(descriptor: output), known)
      throw Failure("its command '\(program)' \(end)\(complaint.map { ": \($0)" } ?? "")")
    }
    guard let bytes = FileBytes.read(descriptor: output), bytes.count <= Self.limit else {
      let limit = SizeNotation.format(Int64(Self.limit))
      throw Failure("its command '\(program)' printed more than \(limit)")
    }
    return bytes
  }

  /// The last line of what a command printed as errors, for a message that is kept: without the secrets that are known, and
  /// without what the command printed as the secret before it failed. Nil where that is too much to be looked for.
  private func complaint(_ errors: [UInt8]?, printed: [UInt8]?, _ known: [String]) -> String? {
    guard let errors, let printed, printed.count <= Self.maskedLimit else { return nil }
    let masker = SecretMasker(known + inherited + [Self.trimmed(String(decoding: printed, as: UTF8.self))])
    return String(decoding: errors, as: UTF8.self).split(separator: "\n").last.map { masker.mask(String($0)) }
  }

  private func memoryFile() throws(EngineError) -> Int32 {
    let descriptor = penstock_memory_file(nil, 0)
    guard descriptor >= 0 else { throw .systemCall("memfd_create", -descriptor) }
    return descriptor
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
