import FoundationEssentials
import Subprocess

/// The `penstock` that is measured.
struct Tool: Sendable {
  /// The path of the program.
  let program: String

  /// What `penstock run` of a file is as a command to time.
  /// `variable` is one more variable of its environment, `NAME=value`; setting it takes the time of an `exec`.
  func running(
    _ file: String, in directory: String, workspace: String? = nil, variable: String? = nil
  ) -> Command {
    let arguments = ["run", file, "--quiet", "--workspace", workspace ?? directory + "/workspace"]
    guard let variable else { return Command(program, arguments, in: directory) }
    return Command("env", [variable, program] + arguments, in: directory)
  }

  /// Runs a pipeline file, untimed.
  func run(_ file: String, workspace: String) async throws {
    _ = try await output(["run", file, "--quiet", "--workspace", workspace])
  }

  /// The first number in the answer to a query of the history.
  func number(_ query: String, workspace: String) async throws -> Double {
    let text = try await output(["history", "sql", "SELECT (\(query)) AS n", "--json", "--workspace", workspace])
    guard let row = try? JSONDecoder().decode([String: Double].self, from: Data(text.utf8)), let number = row["n"]
    else {
      throw BenchError("'\(query)' was answered with: \(text)")
    }
    return number
  }

  /// Throws unless the history in a workspace has one run, with that many succeeded operations and attempts.
  func expectOneRun(operations: Int, attempts: Int, workspace: String) async throws {
    let runs = try await number("SELECT count(*) FROM runs", workspace: workspace)
    let succeeded = try await number(
      "SELECT count(*) FROM operations WHERE state = 'succeeded'", workspace: workspace)
    let recorded = try await number("SELECT count(*) FROM attempts WHERE state = 'succeeded'", workspace: workspace)
    guard runs == 1, succeeded == Double(operations), recorded >= Double(attempts) else {
      throw BenchError(
        "expected one run with \(operations) operations and \(attempts) attempts, but the history has \(Int(runs)) runs, "
          + "\(Int(succeeded)) succeeded operations and \(Int(recorded)) succeeded attempts")
    }
  }

  /// What `--version` prints.
  func version() async throws -> String {
    try await output(["--version"]).filter { !$0.isNewline }
  }

  private func output(_ arguments: [String]) async throws -> String {
    let outcome = try await Subprocess.run(
      .path(.init(program)), arguments: Arguments(arguments), input: .none, output: .string(limit: 1 << 20),
      error: .string(limit: 1 << 16))
    guard outcome.terminationStatus.isSuccess else {
      throw BenchError("penstock \(arguments.joined(separator: " ")): \(outcome.standardError)")
    }
    return outcome.standardOutput
  }
}
