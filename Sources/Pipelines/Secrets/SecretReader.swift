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

  let services: HostServices
  /// Where relative paths start from, and commands are run.
  let directory: String

  /// The value of every secret, by name.
  ///
  /// - Throws: ``EngineError/secret(_:_:)`` for the first one that cannot be read, or `CancellationError`.
  func read(
    _ secrets: [PipelineDefinition.Secret], isolation: isolated (any Actor)? = #isolation
  ) async throws -> [String: String] {
    var values: [String: String] = [:]
    for secret in secrets { values[secret.name] = try await read(secret, isolation: isolation) }
    return values
  }

  private func read(_ secret: PipelineDefinition.Secret, isolation: isolated (any Actor)?) async throws -> String {
    switch secret.origin {
    case .environment(let name):
      guard let value = getenv(name) else {
        throw EngineError.secret(secret.name, "the environment variable '\(name)' is not set")
      }
      return String(cString: value)
    case .file(let path):
      let absolute = path.hasPrefix("/") ? path : "\(directory)/\(path)"
      guard let bytes = FileBytes.read(absolute) else {
        throw EngineError.secret(secret.name, "'\(absolute)': \(String(cString: strerror(errno)))")
      }
      return try text(bytes, of: secret)
    case .command(let arguments):
      return try text(try await output(of: arguments, for: secret, isolation: isolation), of: secret)
    }
  }

  private func output(
    of arguments: [String], for secret: PipelineDefinition.Secret, isolation: isolated (any Actor)?
  ) async throws -> [UInt8] {
    guard let program = arguments.first else { throw EngineError.secret(secret.name, "its command is empty") }
    guard let executable = services.executables.locate(program, path: services.inherited["PATH"]) else {
      throw EngineError.secret(secret.name, "its command '\(program)' was not found in PATH")
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
      throw EngineError.secret(secret.name, "its command '\(program)' could not be run: \(reason)")
    }
    try Task.checkCancellation()
    guard exit.code == 0 else {
      let end = exit.signal.map { "was ended by \(SignalName.name(of: $0))" } ?? "exited with code \(exit.code ?? -1)"
      let printed = String(decoding: FileBytes.read(descriptor: error) ?? [], as: UTF8.self)
      let complaint = printed.split(separator: "\n").last
      throw EngineError.secret(secret.name, "its command '\(program)' \(end)\(complaint.map { ": \($0)" } ?? "")")
    }
    guard let bytes = FileBytes.read(descriptor: output), bytes.count <= Self.limit else {
      let limit = SizeNotation.format(Int64(Self.limit))
      throw EngineError.secret(secret.name, "its command '\(program)' printed more than \(limit)")
    }
    return bytes
  }

  private func memoryFile() throws(EngineError) -> Int32 {
    let descriptor = penstock_memory_file(nil, 0)
    guard descriptor >= 0 else { throw .systemCall("memfd_create", -descriptor) }
    return descriptor
  }

  /// The text without its last newline, which editors and `echo` add.
  private func text(_ bytes: [UInt8], of secret: PipelineDefinition.Secret) throws(EngineError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw EngineError.secret(secret.name, "it is not UTF-8 text")
    }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
