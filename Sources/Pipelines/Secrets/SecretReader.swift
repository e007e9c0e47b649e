import Glibc
import Subprocess

/// Reads the secrets of a pipeline when its run starts.
enum SecretReader {
  /// Longer ones are no secrets but files that happen to be named as such.
  private static let limit = 1 << 20

  /// The value of every secret, by name.
  ///
  /// - Throws: ``EngineError/secret(_:_:)`` for the first one that cannot be read.
  static func read(_ secrets: [PipelineDefinition.Secret], directory: String) async throws -> [String: String] {
    var values: [String: String] = [:]
    for secret in secrets { values[secret.name] = try await read(secret, directory: directory) }
    return values
  }

  private static func read(_ secret: PipelineDefinition.Secret, directory: String) async throws -> String {
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
      guard let program = arguments.first else { throw EngineError.secret(secret.name, "its command is empty") }
      do {
        let outcome = try await Subprocess.run(
          .name(program), arguments: Arguments(Array(arguments.dropFirst())), workingDirectory: .init(directory),
          output: .bytes(limit: limit), error: .string(limit: 16 << 10))
        guard outcome.terminationStatus.isSuccess else {
          let complaint = outcome.standardError.split(separator: "\n").last.map { ": \($0)" } ?? ""
          throw EngineError.secret(
            secret.name, "its command '\(program)' ended with \(outcome.terminationStatus)\(complaint)")
        }
        return try text(outcome.standardOutput, of: secret)
      } catch let error as EngineError {
        throw error
      } catch {
        throw EngineError.secret(secret.name, "its command '\(program)' could not be run: \(error)")
      }
    }
  }

  /// The text without its last newline, which editors and `echo` add.
  private static func text(_ bytes: [UInt8], of secret: PipelineDefinition.Secret) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw EngineError.secret(secret.name, "it is not UTF-8 text")
    }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
