/// What a case does and what must result from it, read from its `.expected` file.
///
/// A directive starts at the beginning of a line; the lines of its block are indented by two spaces. `Tests/Conformance/README.md` lists the directives.
struct Expectation: Sendable {
  /// One shell script, and what must hold after it.
  struct Step: Sendable {
    var script: String
    /// The exit code that it must have: 0 unless the case specifies another, so that no failure goes unnoticed.
    var exitCode: Int32 = 0
    var checks: [Check] = []
  }

  /// One thing that must hold after a step.
  enum Check: Sendable {
    /// The step's standard output, line by line.
    case standardOutput([String])
    /// The step's standard error, line by line.
    case standardError([String])
    /// Records of the history; `pipeline` selects the latest run of that pipeline, nil the latest run that no other run started.
    case records(RecordKind, pipeline: String?, [String])
    /// The lines of a file in the case's directory.
    case contents(path: String, [String])
  }

  var environment: [(name: String, value: String)] = []
  var files: [(path: String, lines: [String])] = []
  var steps: [Step] = []
  /// Why the case is known to fail; nil if it must pass.
  var knownProblem: String?

  /// Reads the text of an `.expected` file; `name` is for messages.
  ///
  /// - Throws: `MalformedExpectation`.
  init(text: String, name: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var at = 0
    while at < lines.count {
      let line = lines[at]
      at += 1
      if line.isEmpty || line.hasPrefix("#") { continue }
      var end = at
      while end < lines.count, lines[end].isEmpty || lines[end].hasPrefix("  ") { end += 1 }
      // Empty lines at the end of a block separate it from the next one.
      var last = end
      while last > at, lines[last - 1].isEmpty { last -= 1 }
      let block = lines[at..<last].map { String($0.dropFirst(2)) }
      do {
        try read(line, block)
      } catch let problem as Problem {
        throw MalformedExpectation(name: name, line: at, problem: problem.text)
      }
      at = end
    }
    if steps.isEmpty { throw MalformedExpectation(name: name, line: lines.count, problem: "nothing is expected") }
  }

  private struct Problem: Error {
    let text: String
  }

  private mutating func read(_ line: String, _ block: [String]) throws {
    let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = parts.count > 1 ? parts[1] : ""
    switch parts[0] {
    case "env":
      guard let equals = rest.firstIndex(of: "=") else { throw Problem(text: "'env' needs NAME=value") }
      environment.append((String(rest[..<equals]), String(rest[rest.index(after: equals)...])))
    case "clock": environment.append(("PENSTOCK_TESTING_CLOCK", rest))
    case "seed": environment.append(("PENSTOCK_TESTING_SEED", rest))
    case "known": knownProblem = rest
    case "file": files.append((rest, block))
    case "$": steps.append(Step(script: ([rest] + block).joined(separator: "\n")))
    case "exit":
      guard let code = Int32(rest) else { throw Problem(text: "'exit' needs a number") }
      modifyStep { $0.exitCode = code }
    case "stdout": add(.standardOutput(block))
    case "stderr": add(.standardError(block))
    case "contents": add(.contents(path: rest, block))
    default:
      guard let kind = RecordKind(rawValue: parts[0]) else {
        throw Problem(text: "there is no directive '\(parts[0])'")
      }
      // A run takes one line, so it follows its keyword.
      let lines = kind == .run ? [rest] : block
      add(.records(kind, pipeline: kind == .run || rest.isEmpty ? nil : rest, lines))
    }
  }

  private mutating func add(_ check: Check) { modifyStep { $0.checks.append(check) } }

  /// Changes the latest step. A case without steps runs its pipeline.
  private mutating func modifyStep(_ body: (inout Step) -> Void) {
    if steps.isEmpty { steps.append(Step(script: "penstock run case.yaml")) }
    body(&steps[steps.count - 1])
  }
}

/// An `.expected` file that cannot be read.
struct MalformedExpectation: Error, CustomStringConvertible {
  let name: String
  let line: Int
  let problem: String

  var description: String { "\(name).expected:\(line): \(problem)" }
}
