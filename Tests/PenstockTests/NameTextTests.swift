import PipelineLanguage
import Testing

@testable import penstock

@Suite("Names of operations and items in columns")
struct NameTextTests {
  @Test(
    "an item keeps its number, and its label if that fits beside the beginning of the operation's name",
    arguments: [
      (40, "build-and-sign-packages[1] ubuntu-noble"), (38, "build-and-sign-packag…[1] ubuntu-noble"),
      (20, "bui…[1] ubuntu-noble"), (19, "bui…[1] ubuntu-nob…"), (12, "bui…[1] ubu…"), (11, "build-a…[1]"),
      (4, "…[1]"), (3, "[1]"), (2, "[…"),
    ])
  func items(width: Int, shown: String) {
    #expect(NameText("build-and-sign-packages[1]", label: "ubuntu-noble").fitted(width: width) == shown)
    #expect(NameText.fitted(cell: "build-and-sign-packages[1] ubuntu-noble", width: width) == shown)
  }

  @Test(
    "an item below its operation is shown by its number and label",
    arguments: [
      (18, "  [1] ubuntu-noble"), (17, "  [1] ubuntu-nob…"), (9, "  [1]"), (5, "  [1]"), (4, " [1]"), (3, "[1]"),
    ])
  func itemsBelowTheirOperation(width: Int, shown: String) {
    let name = NameText("build[1]", label: "ubuntu-noble", indentation: 2, isBelowOperation: true)
    #expect(name.fitted(width: width) == shown)
  }

  @Test(
    "an operation that is not an item is truncated at its end", arguments: [(7, "publish"), (6, "publi…"), (1, "…")])
  func operations(width: Int, shown: String) {
    #expect(NameText("publish", label: nil).fitted(width: width) == shown)
    #expect(NameText("publish", label: nil, isBelowOperation: true).fitted(width: width) == shown)
    #expect(NameText.fitted(cell: "publish", width: width) == shown)
  }

  @Test("the end of a path is kept, and numbers of items may have any number of digits")
  func labels() {
    #expect(NameText("loop[0]", label: "x").fitted(width: 9) == "loop[0] x")
    #expect(NameText("loop[0]", label: "abcdef").fitted(width: 13) == "loop[0] abcd…")
    #expect(NameText("convert[1369]", label: "in/b/orders.csv").fitted(width: 22) == "con…[1369] …orders.csv")
    #expect(NameText("convert[1369]", label: "in/b/orders.csv").fitted(width: 9) == "co…[1369]")
  }

  @Test(
    "a cell is split at the number",
    arguments: [
      ("  convert[12] a [3] b", 15, "  con…[12] a […"), ("convert[*]", 8, "conv…[*]"),
      ("deploy[0]/build-it[1]", 12, "deploy[0…[1]"), ("nightly / convert[*]", 12, "nightly …[*]"),
      ("conv]ert[x] long", 8, "conv]er…"),
    ])
  func cells(cell: String, width: Int, shown: String) {
    #expect(NameText.fitted(cell: cell, width: width) == shown)
  }

  @Test("no name is wider than its column, regardless of its characters", arguments: 0...60)
  func narrow(width: Int) {
    let evil = "日本語\u{1B}[31m" + String(repeating: "x語", count: 30)
    for name in [evil, "\(evil)[7]", "[7]"] {
      for label in [nil, "", "x", evil, "a/\(evil)"] {
        for isBelow in [false, true] {
          let text = NameText(name, label: label, indentation: 4, isBelowOperation: isBelow).fitted(width: width)
          #expect(TerminalText.width(of: text) <= width, "\(name) \(label ?? "-"): \(text)")
          if name.hasSuffix("[7]"), width >= 3 { #expect(text.contains("[7]"), "\(text)") }
        }
      }
    }
  }
}
