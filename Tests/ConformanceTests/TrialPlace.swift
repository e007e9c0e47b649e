import Foundation
import Subprocess

/// A directory for one test, in which command lines run with the built tool first in `PATH`.
final class TrialPlace {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "penstock-trial-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The outcome of a command line.
  struct Outcome {
    let output: String
    let errors: String
    /// The exit code; 128 plus the signal if one terminated the shell, 124 after a timeout.
    let code: Int32
    var text: String { output + errors }
  }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
  }

  /// Runs `command` with `/bin/sh` in the directory, for at most `seconds`, with a workspace below it.
  func shell(_ command: String, seconds: Int = 60, environment: [Environment.Key: String] = [:]) async throws -> Outcome
  {
    var variables: [Environment.Key: String] = [
      "PATH": "\(BuiltPenstock.directory):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
      "PENSTOCK_WORKSPACE": "\(path)/workspace", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "HOME": path,
    ]
    for (name, value) in environment { variables[name] = value }
    let outcome = try await Subprocess.run(
      .name("timeout"), arguments: ["--kill-after=2", "\(seconds)", "/bin/sh", "-c", command],
      environment: .inherit.updating(variables.mapValues { $0 }),
      workingDirectory: .init(path), input: .none, output: .string(limit: 4 << 20), error: .string(limit: 4 << 20))
    let code: Int32 =
      switch outcome.terminationStatus {
      case .exited(let code): Int32(code)
      case .signaled(let number): 128 + Int32(number)
      }
    return Outcome(output: outcome.standardOutput, errors: outcome.standardError, code: code)
  }
}
