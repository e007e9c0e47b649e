import ArgumentParser
import Testing

@testable import penstock

@Suite("Shell completion") struct ArgumentCompletionTests {
  @Test("is based on the command, the workspace and the arguments in the line")
  func words() {
    let words = TypedWords(
      ["penstock", "history", "show", "--workspace", "'my dir'/ws", "-q", "2qb\\ 1", "up"], at: 7, home: nil)
    #expect(words.command == ["history", "show"])
    #expect(words.workspace == "my dir/ws")
    #expect(words.arguments == ["2qb 1"])
    #expect(words.current == "up")
  }

  @Test(
    "recognizes the workspace in every notation",
    arguments: [["--workspace=~/ws"], ["--workspace", "~/ws"], ["--workspace", "=", "~/ws"]])
  func workspace(_ written: [String]) {
    let words = TypedWords(["penstock", "logs"] + written + ["last", ""], at: written.count + 3, home: "/home/ada")
    #expect(words.workspace == "/home/ada/ws")
    #expect(words.arguments == ["last"])
  }

  @Test("ignores the word at the cursor, and the values of options")
  func options() {
    let words = TypedWords(["penstock", "retry", "-p", "a=1", "--from", "", "2qb"], at: 5, home: nil)
    #expect(words.command == ["retry"])
    #expect(words.arguments == ["2qb"])
    #expect(TypedWords(["penstock"], at: 4, home: nil).current == "")
  }

  @Test("offers nothing that a shell would execute or that contains control characters")
  func hostile() {
    func line(_ text: String, _ title: String? = nil, _ shell: CompletionShell) -> String? {
      ArgumentCompletion.line(of: .init(text, title), for: shell)
    }
    for text in ["$(touch x)", "`x`", "a b", "a'b", "a;b"] { #expect(line(text, nil, .bash) == nil) }
    for shell in CompletionShell.allCases {
      for text in ["", "-x", "a\u{1b}[2J", "a\nb"] { #expect(line(text, nil, shell) == nil) }
      #expect(line("töte", nil, shell) == "töte")
    }
    #expect(line("a:b", "c:d", .zsh) == "a\\:b:c:d")
    #expect(line("a b", "x\ny", .fish) == "a b\tx y")
    #expect(line("limit=", "int", .bash) == "limit=")
  }
}
