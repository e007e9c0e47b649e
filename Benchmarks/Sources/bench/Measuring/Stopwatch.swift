import FoundationEssentials
import Subprocess

/// What one process took, with all the processes that it waited for.
struct Measurement: Sendable {
  /// From before the start to after the end, in seconds.
  var seconds: Double
  /// User and system time, in seconds.
  var processorSeconds: Double
  /// The most memory that one of the processes had resident, in bytes.
  var peakBytes: Int
}

/// Times commands through the `stopwatch` program: without a terminal, output to /dev/null.
struct Stopwatch: Sendable {
  /// The path of the `stopwatch` program.
  let program: String
  /// Where the standard error of the commands goes.
  let errorFile: String
  /// A command that takes longer is killed, which ends the benchmark.
  let limitSeconds = 300

  /// Runs `command` and returns what it took. Throws unless it exits with 0.
  func time(_ command: Command) async throws -> Measurement {
    let arguments =
      [command.directory, errorFile, String(limitSeconds), "--", command.program] + command.arguments
    let outcome = try await Subprocess.run(
      .path(.init(program)), arguments: Arguments(arguments), input: .none, output: .string(limit: 4096),
      error: .string(limit: 4096))
    let fields = outcome.standardOutput.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard fields.count == 4 else {
      throw BenchError("cannot measure \(command.program): \(outcome.standardError)")
    }
    guard fields[3] == 0 else {
      let words = ([command.program] + command.arguments).joined(separator: " ")
      throw BenchError("exit status \(fields[3]) from: \(words)\n\(errorText())")
    }
    return Measurement(
      seconds: Double(fields[0]) / 1e9, processorSeconds: Double(fields[1]) / 1e9, peakBytes: fields[2] * 1024)
  }

  private func errorText() -> String {
    guard let data = FileManager.default.contents(atPath: errorFile) else { return "" }
    return String(decoding: data.prefix(2000), as: UTF8.self)
  }
}
