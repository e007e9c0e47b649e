import Foundation
import Testing

/// The pipelines of `examples/recipes`, which a page shows and conformance cases run.
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
}
