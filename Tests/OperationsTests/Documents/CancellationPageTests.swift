import Foundation
import Testing

@Suite("Cancellation page")
struct CancellationPageTests {
  /// The rows of the tables, without their headers.
  private static let rows: [String] = {
    let text = (try? SnippetDocuments.text("Documentation/cancellation.md")) ?? ""
    return text.split(separator: "\n").map(String.init).filter {
      $0.hasPrefix("| ") && !$0.hasPrefix("| who cancels |")
    }
  }()

  /// The sources of all tests, by path.
  private static let sources: [String: String] = {
    let folder = SnippetDocuments.root.appendingPathComponent("Tests")
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    let pairs = paths.filter { $0.hasSuffix(".swift") }.map { path in
      let text = (try? String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)) ?? ""
      // The name is on a line of its own if the arguments are long.
      return (path, text.replacing(/@Test\(\s+/, with: "@Test("))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }()

  @Test("There is a row for everything that can be cancelled")
  func count() {
    #expect(Self.rows.count >= 40)
  }

  @Test("Each row refers to existing tests", arguments: rows)
  func tests(row: String) {
    let references = row.matches(of: /<!-- (\w+): (.*?) -->/)
    #expect(!references.isEmpty)
    for reference in references {
      let owner = String(reference.1)
      let name = String(reference.2)
      if owner == "Conformance" {
        let path = SnippetDocuments.root.appendingPathComponent("Tests/Conformance/\(name).expected").path
        #expect(FileManager.default.fileExists(atPath: path), "\(name)")
      } else {
        let exists = Self.sources.contains { path, text in
          (path.hasPrefix("\(owner)/") || text.contains("struct \(owner) {")) && text.contains("@Test(\(name)")
        }
        #expect(exists, "\(owner): \(name)")
      }
    }
  }
}
