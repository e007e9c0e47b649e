import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// One run of a case, with its own directory, home and workspace, which are deleted afterwards. A case that needs none of these runs in this process.
struct CaseRun {
  private let conformanceCase: ConformanceCase
  private let expectation: Expectation
  /// The parent of everything that belongs to the run: the case's directory, its home, its workspace, and its output.
  private let root: URL
  private var directory: URL { root.appendingPathComponent("case") }

  /// The limit for one step, in seconds; far more than any needs.
  private static let patience = "30"

  init(_ conformanceCase: ConformanceCase, _ expectation: Expectation) {
    self.conformanceCase = conformanceCase
    self.expectation = expectation
    root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("penstock-conformance-\(UUID().uuidString.prefix(8))")
  }

  /// Runs all steps and returns the differences from what was expected. Stops after the first step that differs.
  func differences() async throws -> [String] {
    let known = try await FileChecks(conformanceCase, expectation)?.outcomes()
    guard known == nil else { return try await differences(known) }
    try prepare()
    defer { try? FileManager.default.removeItem(at: root) }
    let processes = LeftProcesses(below: root)
    do {
      let differences = try await differences(known)
      let left = await processes.end(waits: differences.isEmpty)
      return differences.isEmpty ? left : differences
    } catch {
      _ = await processes.end(waits: false)
      throw error
    }
  }

  private func differences(_ known: [Outcome]?) async throws -> [String] {
    for (number, step) in expectation.steps.enumerated() {
      let outcome = if let known { known[number] } else { try await shell(step.script) }
      var differences: [String] = []
      if outcome.exitCode != step.exitCode {
        differences.append("exit: expected \(step.exitCode), but found \(outcome.exitCode)")
      }
      for check in step.checks {
        if let difference = try await difference(check, outcome) { differences.append(difference) }
      }
      guard differences.isEmpty else { return ["$ \(step.script)"] + differences + [Self.evidence(outcome)] }
    }
    return []
  }

  /// Runs every step with the tool, and returns the outcome of each.
  func toolOutcomes() async throws -> [Outcome] {
    try prepare()
    defer { try? FileManager.default.removeItem(at: root) }
    var outcomes: [Outcome] = []
    for step in expectation.steps { outcomes.append(try await shell(step.script)) }
    return outcomes
  }

  private func prepare() throws {
    let files = FileManager.default
    for name in ["case", "home"] {
      try files.createDirectory(at: root.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    if let pipeline = conformanceCase.pipeline {
      try files.copyItem(at: pipeline, to: directory.appendingPathComponent("case.yaml"))
    }
    for file in expectation.files {
      let place = directory.appendingPathComponent(file.path)
      try files.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((file.lines.joined(separator: "\n") + "\n").utf8).write(to: place)
    }
  }

  // MARK: Checks

  private func difference(_ check: Expectation.Check, _ outcome: Outcome) async throws -> String? {
    switch check {
    case .standardOutput(let lines):
      return LineComparison.difference(
        "stdout", expected: lines, actual: Self.lines(of: outcome.output).filter(Self.isOfCase))
    case .standardError(let lines):
      return LineComparison.difference("stderr", expected: lines, actual: Self.lines(of: outcome.error))
    case .contents(let path, let lines):
      let text = try? String(contentsOf: directory.appendingPathComponent(path), encoding: .utf8)
      let actual = text.map(Self.lines(of:)) ?? ["(there is no such file)"]
      return LineComparison.difference("contents \(path)", expected: lines, actual: actual)
    case .records(let kind, let pipeline, let lines):
      let title = pipeline.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue
      let actual = try await records(kind, pipeline: pipeline)
      return LineComparison.difference(title, records: kind, expected: lines, actual: actual)
    }
  }

  private struct Row: Decodable {
    let line: String
  }

  private func records(_ kind: RecordKind, pipeline: String?) async throws -> [String] {
    let outcome = try await run(
      .path(BuiltPenstock.path), arguments: ["history", "sql", "--json", kind.query(pipeline: pipeline)])
    guard outcome.exitCode == 0 else { return ["penstock history sql: \(outcome.error)"] }
    return try Self.lines(of: outcome.output).map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)).line }
  }

  /// Returns whether a line concerns only this case. `FormerProcessTests` run at the same time; their processes hide from resuming commands, which is
  /// reported, and which is what those tests check.
  private static func isOfCase(_ line: String) -> Bool { !line.contains(" cannot tell whether the former host left ") }

  private static func lines(of text: String) -> [String] {
    if text.isEmpty { return [] }
    let body = text.hasSuffix("\n") ? text.dropLast() : text[...]
    return body.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func evidence(_ outcome: Outcome) -> String {
    "It exited with \(outcome.exitCode), having printed\n\(indented(outcome.output))\n"
      + "and on standard error\n\(indented(outcome.error))"
  }

  private static func indented(_ text: String) -> String {
    let lines = lines(of: text)
    return lines.isEmpty ? "  (nothing)" : lines.prefix(60).map { "  " + $0 }.joined(separator: "\n")
  }

  // MARK: Processes

  /// The outcome of a step.
  struct Outcome: Sendable, Equatable {
    var exitCode: Int32
    var output: String
    var error: String
  }

  /// Runs a script with the functions of `prelude.sh` available.
  ///
  /// Its output goes to files, because a process that it left behind would keep a pipe open.
  private func shell(_ script: String) async throws -> Outcome {
    let prelude = ConformanceCase.folder.appendingPathComponent("prelude.sh").path
    let script = "exec > ../stdout 2> ../stderr\n. '\(prelude)'\n\(script)"
    var outcome = try await run(
      .name("timeout"), arguments: ["--kill-after=3", Self.patience, "/bin/sh", "-c", script])
    outcome.output = try printed("stdout")
    outcome.error = try printed("stderr") + outcome.error
    return outcome
  }

  private func printed(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: root.appendingPathComponent(name)), as: UTF8.self)
  }

  private func run(_ executable: Executable, arguments: [String]) async throws -> Outcome {
    var environment: [Environment.Key: String] = [
      "PATH": "\(BuiltPenstock.directory):/usr/local/bin:/usr/bin:/bin",
      "HOME": root.appendingPathComponent("home").path,
      "PENSTOCK_WORKSPACE": root.appendingPathComponent("workspace").path,
      "CONFORMANCE": ConformanceCase.folder.path,
      "TZ": "UTC", "LC_ALL": "C", "USER": "tester",
    ]
    if conformanceCase.name.hasPrefix("plugins/") {
      environment["PENSTOCK_PLUGIN_PATH"] = try await SamplePlugin.shared.directory()
    }
    for (name, value) in expectation.environment { environment[Environment.Key(stringLiteral: name)] = value }
    let limit = 4 << 20
    let result = try await Subprocess.run(
      executable, arguments: Arguments(arguments), environment: .custom(environment),
      workingDirectory: FilePath(directory.path), output: .bytes(limit: limit), error: .bytes(limit: limit))
    let code: Int32 =
      switch result.terminationStatus {
      case .exited(let code): code
      case .signaled(let signal): 128 + signal
      }
    return Outcome(
      exitCode: code, output: String(decoding: result.standardOutput, as: UTF8.self),
      error: String(decoding: result.standardError, as: UTF8.self))
  }
}
