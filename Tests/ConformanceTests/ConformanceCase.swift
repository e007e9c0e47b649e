import Foundation
import Testing

/// One case on disk: `<name>.expected`, and the pipeline `<name>.yaml` next to it if the case has one.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
  /// The path below `Tests/Conformance` without its extension, such as `injection/a_failed_dependency_cancels_its_dependent`.
  let name: String

  var testDescription: String { name }

  /// The pipeline file; nil if the case needs none.
  var pipeline: URL? {
    let file = Self.folder.appendingPathComponent(name + ".yaml")
    return FileManager.default.fileExists(atPath: file.path) ? file : nil
  }

  /// Reads the expectation of the case.
  ///
  /// - Throws: `MalformedExpectation`, or an error from reading the file.
  func expectation() throws -> Expectation {
    let file = Self.folder.appendingPathComponent(name + ".expected")
    return try Expectation(text: String(contentsOf: file, encoding: .utf8), name: name)
  }

  // MARK: The suite on disk

  /// `Tests/Conformance`.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Conformance")

  /// All cases, sorted by name.
  static let all = names(endingWith: ".expected").map { ConformanceCase(name: $0) }

  /// The cases to run: all, or those whose name contains the value of `PENSTOCK_CASES`.
  static let selected = all.filter { entry in
    guard let part = ProcessInfo.processInfo.environment["PENSTOCK_CASES"], !part.isEmpty else { return true }
    return entry.name.contains(part)
  }

  /// The pipelines that have no expectation.
  static var pipelinesWithoutExpectation: [String] {
    let expected = Set(all.map(\.name))
    return names(endingWith: ".yaml").filter { !expected.contains($0) }
  }

  private static func names(endingWith ending: String) -> [String] {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return paths.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }
}
