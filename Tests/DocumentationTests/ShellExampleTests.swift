import Foundation
import Testing

/// Blocks of shell commands that no test runs, because they need root, a network or another computer: their syntax is checked, and the commands and options
/// of `penstock` in them exist.
@Suite("Shell commands in documents")
struct ShellExampleTests {
  /// A call of `penstock` in a block.
  struct Call: Sendable, CustomTestStringConvertible {
    var place: String
    /// Its words up to the next operator of the shell, without `penstock`.
    var words: [String]

    /// The words before the first that cannot be the name of a command.
    var command: [String] {
      Array(words.prefix { $0.allSatisfy { $0.isLetter || $0 == "-" } && !$0.hasPrefix("-") }.prefix(2))
    }
    var options: [String] {
      words.filter { $0.hasPrefix("--") }.compactMap { $0.split(separator: "=").first.map(String.init) }
    }
    var testDescription: String { "\(place): penstock \(words.joined(separator: " "))" }
  }

  private static let blocks = Documents.examples.filter { $0.language == "sh" }

  static let calls: [Call] = blocks.flatMap { block in
    block.text.replacing("\\\n", with: " ").split(separator: "\n").flatMap { line -> [Call] in
      let code = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
      return code.split(whereSeparator: { "|&;()<>".contains($0) }).compactMap { part in
        let words = part.split(separator: " ").map(String.init)
        guard let index = words.firstIndex(of: "penstock"), words.dropFirst(index + 1).first != nil,
          words[..<index].allSatisfy({ $0 == "sudo" || $0.contains("=") || $0.hasPrefix("-") })
        else { return nil }
        return Call(place: block.testDescription, words: Array(words[(index + 1)...]))
      }
    }
  }

  @Test("have a valid syntax", arguments: blocks)
  func syntax(block: Example) async throws {
    let tool = try Tool()
    defer { tool.remove() }
    try tool.write(block.text, to: "block.sh")
    let outcome = try await tool.shell("bash -n block.sh")
    #expect(outcome.status.isSuccess, "\(outcome.output)")
  }

  @Test("are found")
  func some() { #expect(Self.calls.count >= 15, "\(Self.calls.map(\.testDescription))") }

  @Test("use commands and options of penstock that exist", arguments: calls)
  func options(call: Call) async throws {
    let tool = try Tool()
    defer { tool.remove() }
    guard !call.command.isEmpty else {
      #expect(call.options == ["--version"])
      return
    }
    // The second word may be an argument.
    var help = try await tool.shell("penstock help \(call.command.joined(separator: " "))")
    if !help.status.isSuccess { help = try await tool.shell("penstock help \(call.command[0])") }
    #expect(help.status.isSuccess, "there is no command \(call.command[0])")
    for option in call.options {
      #expect(help.output.contains(option), "penstock \(call.command.joined(separator: " ")) has no \(option)")
    }
  }
}
