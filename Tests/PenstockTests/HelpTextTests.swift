import ArgumentParser
import Foundation
import RunHistory
import Testing

@testable import penstock

@Suite("Help texts") struct HelpTextTests {
  private static func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap(all)
  }

  @Test("have one line per paragraph, which only the terminal wraps") func paragraphs() {
    let commands = Self.all(Penstock.self)
    #expect(commands.count > 30)
    for command in commands {
      let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
      for (line, next) in zip(lines, lines.dropFirst()) {
        // Examples are indented.
        let isProse = [line, next].allSatisfy { !$0.isEmpty && !$0.hasPrefix(" ") }
        #expect(!isProse, "\(command) breaks '\(line)'")
      }
    }
  }

  @Test("of queries name every public view") func views() {
    let words = Set(HistorySQL.configuration.discussion.split { !$0.isLetter && $0 != "_" }.map(String.init))
    #expect(Set(HistorySchema.publicViews).isSubset(of: words))
  }

  @Test("of `status` and its document explain the symbols of runs") func symbols() throws {
    let document = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Documentation/command-line.md"), encoding: .utf8)
    for state in RunState.allCases {
      let glyphs = [false, true].map { StatePaint.glyph(state, isUnicode: $0) }
      #expect(document.contains("| `\(state.rawValue)` | `\(glyphs[1])` | `\(glyphs[0])` |"))
      #expect(Status.configuration.discussion.contains("\(glyphs[0]) or \(glyphs[1]) \(state.rawValue)"))
    }
  }
}
