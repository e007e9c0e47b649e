import Foundation
import Testing

/// One case on disk: `<name>.expected`, and the pipeline `<name>.yaml` beside it where the case has one.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
  /// The path below `Tests/Conformance` without its ending, such as `injection/a_failed_dependency_cancels_its_dependent`.
  let name: String

  var testDescription: String { name }

  /// The pipeline file; nil when the case needs none.
  var pipeline: URL? {
    let file = Self.folder.appendingPathComponent(name + ".yaml")
    return FileManager.default.fileExists(atPath: file.path) ? file : nil
  }

  /// What is expected.
  ///
  /// - Throws: `MalformedExpectation`, or what reading the file throws.
  func expectation() throws -> Expectation {
    let file = Self.folder.appendingPathComponent(name + ".expected")
    return try Expectation(text: String(contentsOf: file, encoding: .utf8), name: name)
  }

  // MARK: The suite on disk

  /// `Tests/Conformance`.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Conformance")

  /// Every case, by name.
  static let all = names(endingWith: ".expected").map { ConformanceCase(name: $0) }

  /// The cases to run: all, or those whose name contains what `PENSTOCK_CASES` says.
  static let selected = all.filter { entry in
    guard let part = ProcessInfo.processInfo.environment["PENSTOCK_CASES"], !part.isEmpty else { return true }
    return entry.name.contains(part)
  }

  /// Pipelines that nothing is expected of.
  static var pipelinesWithoutExpectation: [String] {
    let expected = Set(all.map(\.name))
    return names(endingWith: ".yaml").filter { !expected.contains($0) }
  }

  private static func names(endingWith ending: String) -> [String] {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return paths.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }
}
