import ArgumentParser
import Testing

@testable import penstock

@Suite("Commands of other tools") struct FamiliarCommandsTests {
  private func subcommand(_ name: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
    let configuration = command.configuration
    return (configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)).first {
      $0.configuration.commandName == name
    }
  }

  @Test("are not commands of Penstock, and each suggestion is") func table() throws {
    for (word, command) in FamiliarCommands.table {
      #expect(subcommand(word, of: Penstock.self) == nil, "'\(word)'")
      guard command != "--version" else { continue }
      var words = command.split(separator: " ").map(String.init)[...]
      let first = try #require(subcommand(words.removeFirst(), of: Penstock.self), "'\(command)'")
      if let second = words.first, !second.hasPrefix("-"), second != "FILE" {
        #expect(subcommand(second, of: first) != nil, "'\(command)'")
      }
    }
  }

  @Test(
    "options before the command are moved behind it, and before the end of the options",
    arguments: [
      ("--json history list", "history list --json"), ("--workspace a b run x", "b run x --workspace a"),
      ("-q --color=never eval -- -1", "eval -q --color=never -- -1"), ("--json", "--json"),
      ("run --json", "run --json"),
      ("--json --help", "--json --help"),
    ])
  func options(given: String, moved: String) {
    let words = given.split(separator: " ").map(String.init)
    #expect(SharedOptions.behindCommand(words).joined(separator: " ") == moved)
  }
}
