import Foundation

/// The documents whose Swift blocks must compile.
enum SnippetDocuments {
  /// The root of the checkout, even if a package links to its tests.
  static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Documents whose Swift code is about other libraries, and is compiled and run by the tests of those.
  private static let aboutOtherLibraries: Set<String> = ["from-dflat.md", "workspace.md", "writing-plugins.md"]

  /// The paths relative to the root: the catalogue of `Operations`, `Documentation` and README.md.
  static let all: [String] = {
    let folders = ["Documentation", "Sources/Operations/Operations.docc"]
    let paths = folders.flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
      return names.filter { $0.hasSuffix(".md") && !aboutOtherLibraries.contains($0) }.map { "\(folder)/\($0)" }
    }
    return (paths + ["README.md"]).sorted()
  }()

  /// Returns the text of a document, by its path relative to the root.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }
}
