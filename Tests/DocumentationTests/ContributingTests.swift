import Foundation
import Testing

/// The page for people who change Penstock.
@Suite("The page for contributors")
struct ContributingTests {
  private static let document = "CONTRIBUTING.md"

  @Test("explains every target of make that `make help` lists")
  func targets() throws {
    let text = try Documents.text(Self.document)
    for match in try Documents.text("Makefile").matches(of: /(?m)^([a-z-]+):.*##\s/) {
      #expect(text.contains("\n| `\(match.1)` |"), "\(match.1)")
    }
  }

  @Test("has a place for every module")
  func modules() throws {
    let text = try Documents.text(Self.document)
    let folder = Documents.root.appendingPathComponent("Sources")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let isOfC = name.hasPrefix("C") && name.dropFirst().first?.isUppercase == true
      #expect(text.contains("`Sources/\(isOfC ? "C…" : name)`"), "\(name)")
    }
  }

  @Test("names files and folders that exist")
  func paths() throws {
    for match in try Documents.text(Self.document).matches(
      of: /`((?:Sources|Tests|Documentation|examples|packaging|\.ci)\/[A-Za-z.\/-]+)`/)
    {
      let path = Documents.root.appendingPathComponent(String(match.1)).path
      #expect(FileManager.default.fileExists(atPath: path), "\(match.1)")
    }
  }
}
