import Foundation
import Testing

/// The pipelines of `examples/recipes`, which a page shows and conformance cases run; and the pages of `Documentation/recipes`, each of which
/// is followed by ``ConsoleExampleTests``.
@Suite("Recipes")
struct RecipeTests {
  private static let document = "Documentation/recipes.md"
  /// The paths of the recipes, relative to the root.
  static let files = Documents.files.filter { $0.hasPrefix("examples/recipes/") }
  /// The pipelines on the page.
  static let quotations = Documents.examples.filter { $0.document == document && $0.language == "yaml" }

  @Test("are shown on their page in full and once", arguments: files)
  func whole(path: String) throws {
    let text = try Documents.text(path)
    #expect(Self.quotations.filter { $0.flags == ["from=\(path)"] }.map(\.text) == [text])
  }

  @Test("are all the pipelines on their page", arguments: quotations)
  func origin(example: Example) {
    #expect(Self.files.contains { example.flags == ["from=\($0)"] }, "\(example.testDescription) is from no recipe")
  }

  @Test("are run by a conformance case", arguments: files)
  func cases(path: String) throws {
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    let folder = Documents.root.appendingPathComponent("Tests/Conformance/recipes")
    let cases = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let scripts = try cases.map { try String(contentsOf: $0, encoding: .utf8) }
    let runs = scripts.contains { $0.contains("$ recipe \(name);") && $0.contains("\(name).yaml") }
    #expect(runs, "no case in Tests/Conformance/recipes has 'recipe \(name)'")
  }

  /// The pages with one recipe each.
  static let pages = Documents.all.filter { $0.hasPrefix("Documentation/recipes/") }

  @Test("are at least fifteen")
  func count() {
    #expect(Self.files.count + Self.pages.count >= 15)
  }

  @Test("on a page of their own are complete: files, commands, and a check at the end", arguments: pages)
  func page(document: String) throws {
    let text = try Documents.text(document)
    let examples = Documents.examples.filter { $0.document == document }
    #expect(text.hasPrefix("# "))
    #expect(examples.contains { $0.language == "yaml" && $0.file != nil }, "no pipeline with a file name")
    // Its checks see only its own runs.
    let hasWorkspace = examples.contains { example in
      example.language == "console"
        ? example.text == "$ mkdir .penstock\n"
        : example.flags.contains("host") && example.text.contains("\nworkspace: ")
    }
    #expect(hasWorkspace, "no workspace of its own")
    let sections = text.split(separator: "\n## ")
    #expect(sections.last?.hasPrefix("Check that it works\n") == true, "the last section is another one")
    #expect(sections.last?.contains("```console\n$ ") == true, "the check has no command")
    // Nothing is shown that no test looks at.
    let untested = examples.filter { $0.file == nil && !["console", "text", "yaml"].contains($0.language) }
    #expect(untested.map(\.testDescription) == [])
  }

  @Test("are all in the list of recipes", arguments: pages)
  func list(document: String) throws {
    let link = "(\(document.dropFirst("Documentation/".count)))"
    #expect(try Documents.text(Self.document).contains(link))
  }
}
