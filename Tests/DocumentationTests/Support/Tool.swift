import Foundation
import Subprocess
import Testing

/// The built `penstock`, with a directory and a home of the test's own.
///
/// Commands find their workspace as they do for a user: a page that wants one in its folder creates it with `mkdir .penstock`.
struct Tool {
  /// The directory in which commands run. Removed by ``remove()``.
  let directory: URL

  /// How a command ended, and its output, with standard error in the order in which it was written.
  struct Outcome {
    var output: String
    var status: Subprocess.TerminationStatus
  }

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("penstock-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  func remove() {
    try? FileManager.default.removeItem(at: directory)
  }

  /// The build directory of this test, which also contains the tool.
  static let buildDirectory: URL = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: own).deletingLastPathComponent()
  }()

  /// Writes a text to a file in the directory; a program is executable.
  func write(_ text: String, to name: String, asProgram: Bool = false) throws {
    let file = directory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
    if asProgram { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path) }
  }

  /// Follows a document from its top: stores its files, runs the commands of its console examples, which must succeed, and compares what they
  /// print, as `packaging/follow` does.
  func follow(_ document: String) async throws {
    for example in Documents.examples where example.document == document {
      if let file = example.file { try write(example.text, to: file, asProgram: example.flags.contains("program")) }
      guard example.language == "console" else { continue }
      for step in ConsoleStep.steps(of: example.text) {
        let outcome = try await shell(step.command)
        #expect(
          outcome.status.isSuccess,
          """
          \(example.testDescription): \(step.command)
          failed, and printed:
          \(outcome.output)
          """)
        #expect(
          ConsoleText.matches(step.expected, outcome.output),
          """
          \(example.testDescription): \(step.command)
          shown:
          \(step.expected)
          printed:
          \(outcome.output)
          """)
      }
    }
  }

  /// Runs a command line of a document in the shell, with the built tool first in `PATH`.
  func shell(_ command: String) async throws -> Outcome {
    let path = Self.buildDirectory.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    let outcome = try await Subprocess.run(
      // A command that hangs fails its own test because of the missing output, instead of the whole suite because of its time limit.
      .name("timeout"), arguments: ["--kill-after=5", "60", "/bin/sh", "-c", command],
      environment: .inherit.updating([
        "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "HOME": directory.appendingPathComponent("home").path,
        "PENSTOCK_WORKSPACE": nil, "XDG_STATE_HOME": nil, "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "FEED_TOKEN": "token-of-the-examples",
      ]),
      workingDirectory: .init(directory.path), input: .none, output: .string(limit: 4 << 20), error: .combinedWithOutput
    )
    return Outcome(output: outcome.standardOutput, status: outcome.terminationStatus)
  }
}
