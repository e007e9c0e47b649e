import Foundation
import Testing

/// A command of a console example, with the output that the document shows.
struct ConsoleStep {
  var command: String
  var expected: String

  /// Returns the steps of an example: a line that begins with `$ ` is a command, followed by its output up to the next command.
  static func steps(of text: String) -> [ConsoleStep] {
    var steps: [ConsoleStep] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("$ ") {
        steps.append(ConsoleStep(command: String(line.dropFirst(2)), expected: ""))
      } else if !steps.isEmpty {
        steps[steps.count - 1].expected += line + "\n"
      }
    }
    return steps
  }
}

/// Compares the output of two runs of a command, ignoring ids, times and the widths of columns.
enum ConsoleText {
  static func normalised(_ text: String) -> String {
    // On a busy computer, a call into a plugin may take longer than it should, and the tool warns of that anywhere.
    let lines = text.split(separator: "\n").filter {
      !$0.contains(/warning: .* took \d+(ms|s); it must return at once/)
    }
    return lines.map { line in
      String(line)
        .replacing(/\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d/, with: "<time>")
        .replacing(
          /\b(?=[a-z]*[0-9])[0-9a-hjkmnp-tv-z]{12}\b|\b(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-hjkmnp-tv-z]{8}\b/,
          with: "<id>"
        )
        .replacing(/\b(\d+h)?(\d+m)?\d+(\.\d+)? ?(ms|s|µs)\b/, with: "<duration>")
        .replacing(/[ \t]+/, with: " ")
        .trimmingCharacters(in: .whitespaces)
    }.joined(separator: "\n")
  }

  /// Returns whether `found` matches what a document shows, where `…` stands for anything.
  static func matches(_ expected: String, _ found: String) -> Bool {
    let parts = normalised(expected).split(separator: "…", omittingEmptySubsequences: false)
    var rest = normalised(found)[...]
    for (index, part) in parts.enumerated() {
      if index == 0 {
        guard rest.hasPrefix(part) else { return false }
        rest = rest.dropFirst(part.count)
      } else if index == parts.count - 1 {
        return rest.hasSuffix(part)
      } else {
        guard let range = rest.range(of: part) else { return false }
        rest = rest[range.upperBound...]
      }
    }
    return rest.isEmpty
  }
}

@Suite("Commands in documents")
struct ConsoleExampleTests {
  @Test("print what the document shows", arguments: Documents.all.filter { $0 != TutorialTests.document })
  func commands(document: String) async throws {
    let tool = try Tool()
    defer { tool.remove() }
    try await tool.follow(document)
  }

  @Test(
    "show something that must be printed, or nothing", arguments: Documents.examples.filter { $0.language == "console" }
  )
  func output(example: Example) {
    for step in ConsoleStep.steps(of: example.text) {
      let shown = step.expected.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(
        shown.isEmpty || shown.contains { $0 != "…" && !$0.isWhitespace }, "\(example.testDescription): \(step.command)"
      )
    }
  }

  @Test("are compared regardless of ids, times and columns, and an ellipsis stands for anything")
  func comparison() {
    #expect(ConsoleText.matches("run 03kx9fab of a in 12ms", "run 04mz1c2d   of a in 1.5s\n"))
    #expect(ConsoleText.matches("6.4s ago", "1m08s ago"))
    #expect(ConsoleText.matches("a\n…\nz", "a\nb\nc\nz\n"))
    #expect(!ConsoleText.matches("a\n…\nz", "a\nb\nc\ny\n"))
    #expect(!ConsoleText.matches("exit 7", "exit 8"))
    #expect(
      ConsoleText.matches("a", "penstock: cron: warning: 'create' took 60ms; it must return at once, or else\na\n"))
  }
}
