import Foundation
import Testing

/// The tutorial is followed as a reader follows it: in an empty folder.
@Suite("The tutorial")
struct TutorialTests {
  static let document = "Documentation/tutorial.md"
  private static let examples = Documents.examples.filter { $0.document == document }

  @Test("is followed literally, from an empty folder to a host that has drained")
  func follow() async throws {
    let tool = try Tool()
    defer { tool.remove() }
    try await tool.follow(Self.document)

    // What the reader is promised has happened.
    let record = try await tool.shell(
      """
      penstock history sql --csv "SELECT (SELECT count(*) FROM runs WHERE controller = 'interval') >= 2,
        (SELECT max(number) FROM attempts WHERE operation = 'upload'), (SELECT count(*) FROM attempts WHERE operation = 'count[2]') > 0,
        (SELECT count(*) FROM approvals WHERE state = 'approved'), (SELECT count(*) FROM hosts WHERE state = 'stopped')" | tail -n 1
      """)
    #expect(record.output.trimmingCharacters(in: .whitespacesAndNewlines) == "1,2,1,2,1")
    let left = try await tool.shell("penstock status | head -n 1")
    #expect(left.output.hasPrefix("No host serves"))
  }

  @Test("has no block that is not followed, except the installation")
  func blocks() throws {
    let others = Self.examples.filter { $0.language != "console" && $0.file == nil }
    // `make test-dist` follows these as well, in a fresh Debian.
    #expect(
      others.map(\.text) == [
        "sudo apt-get update\nsudo apt-get install ./penstock_*.deb\n", "mkdir tutorial && cd tutorial\n",
      ])
    #expect(try Documents.text("Makefile").contains("\ntest-dist:"))
  }

  /// The blocks of all documents that a reader stores as files. The words behind a fence are not shown to readers.
  private static let files = Documents.examples.filter { $0.file != nil }

  @Test("and all other documents name each file in the paragraph above it", arguments: files)
  func names(example: Example) throws {
    let lines = try Documents.text(example.document).split(separator: "\n", omittingEmptySubsequences: false)
    let above = lines[..<(example.line - 1)].reversed().drop { $0.isEmpty }.prefix { !$0.isEmpty }
    let name = try #require(example.file)
    #expect(above.contains { $0.contains("`\(name)`") }, "\(example.testDescription): no '\(name)' above")
  }

  @Test("shows no command that fails without saying so")
  func failures() {
    for step in Self.examples.filter({ $0.language == "console" }).flatMap({ ConsoleStep.steps(of: $0.text) }) {
      let fails = step.expected.contains("error[") || step.expected.contains("penstock: ")
      #expect(!fails || step.command.hasSuffix("; echo \"exit code $?\""), "\(step.command)")
    }
  }
}
