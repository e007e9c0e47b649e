import Foundation
import Testing

@Suite("Swift code in the documentation")
struct DocumentSnippetTests {
  private static let path = "Tests/OperationsTests/Documents/DocumentSnippets.swift"

  @Test("Every block is part of a source file that compiles with these tests")
  func blocks() throws {
    var source = SnippetSource()
    for document in SnippetDocuments.all { source.add(try SnippetDocuments.text(document), path: document) }
    if ProcessInfo.processInfo.environment["PENSTOCK_UPDATE_DOCUMENTATION"] != nil {
      let file = SnippetDocuments.root.appendingPathComponent(Self.path)
      try source.text.write(to: file, atomically: true, encoding: .utf8)
    }
    // PENSTOCK_UPDATE_DOCUMENTATION=1 swift test --filter DocumentSnippetTests regenerates the file. If the current one
    // does not compile, empty it first.
    let isSame = try SnippetDocuments.text(Self.path) == source.text
    #expect(isSame, "\(Self.path) is not what the documents say")
  }

  @Test("Every article is a topic of the landing page")
  func articles() throws {
    let folder = "Sources/Operations/Operations.docc/"
    let landing = try SnippetDocuments.text(folder + "Operations.md")
    for document in SnippetDocuments.all where document.hasPrefix(folder) && !document.hasSuffix("/Operations.md") {
      #expect(landing.contains("- <doc:\(document.dropFirst(folder.count).dropLast(3))>"), "\(document)")
    }
  }

  @Test("Blocks are placed where their declarations must be")
  func places() {
    var source = SnippetSource()
    source.add(
      """
      <!-- setup:
      struct Hidden {}
      -->
      ```swift
      extension Int {
        var half: Int { self / 2 }
      }
      ```

      <!-- setup:
      let seen = 2
      -->
      ```swift
      let half = seen.half
      print(half)
      ```

      ```yaml
      let: it be
      ```
      """, path: "a/b.md")
    #expect(
      source.text.hasSuffix(
        """
        // a/b.md
        extension Int {
          var half: Int { self / 2 }
        }
        // a/b.md
        private enum a_b_md {
          struct Hidden {}

          static func block2() async throws {
            let seen = 2
            let half = seen.half
            print(half)
            _ = seen
            _ = half
          }
        }

        """))
  }
}
