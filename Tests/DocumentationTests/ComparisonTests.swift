import Foundation
import Testing

/// The pages for people who come from another program.
@Suite("Comparisons with other programs")
struct ComparisonTests {
  static let pages = Documents.all.filter { $0.hasPrefix("Documentation/coming-from/") }

  @Test("have their words, the same pipeline twice, and what is missing", arguments: pages)
  func parts(document: String) throws {
    let text = try Documents.text(document)
    let headings = text.matches(of: /(?m)^## (.*)$/).map { String($0.1) }
    #expect(headings == ["Words", "The same pipeline", "What is missing", "What is different"])
    let examples = Documents.examples.filter { $0.document == document }
    #expect(examples.contains { $0.language == "yaml" && $0.file != nil }, "no pipeline of ours")
    #expect(examples.contains { $0.language == "console" }, "our pipeline is not run")
    #expect(examples.contains { ["yml", "python", "make"].contains($0.language) }, "no pipeline of theirs")
  }

  @Test(
    "exist for five programs, and are named on the start page",
    arguments: ["github-actions", "dagu", "airflow", "make", "temporal"])
  func names(name: String) throws {
    #expect(Self.pages.contains("Documentation/coming-from/\(name).md"))
    #expect(try Documents.text("Documentation/README.md").contains("(coming-from/\(name).md)"))
  }
}
