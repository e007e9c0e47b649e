import Foundation
import Testing

/// Source code in documents is quoted from files that are compiled and tested: `swift from=PATH`, `c from=PATH`.
@Suite("Source code in documents")
struct SourceExampleTests {
  @Test(
    "names its origin", arguments: Documents.examples.filter { $0.document == "Documentation/writing-plugins.md" })
  func origin(example: Example) {
    guard ["swift", "c"].contains(example.language) else { return }
    #expect(example.origin != nil, "\(example.testDescription) is from nowhere: write from=PATH behind the language")
  }

  @Test("is identical to that file", arguments: Documents.examples.filter { $0.origin != nil })
  func quotation(example: Example) throws {
    let origin = try #require(example.origin)
    let file = Self.lines(try Documents.text(origin))
    let quoted = Self.lines(example.text)
    let isThere = file.indices.contains { file[$0...].starts(with: quoted) }
    #expect(isThere, "\(example.testDescription) differs from \(origin)")
  }

  @Test(
    "is complete for the files that readers should try, so that it compiles as printed",
    arguments: ["DocumentedPlugin.swift", "Station.swift"])
  func whole(file: String) throws {
    let origin = "Tests/PluginKitTests/Support/\(file)"
    let printed = Documents.examples.filter { $0.origin == origin && $0.document == "Documentation/writing-plugins.md" }
    let lines = Self.lines(try Documents.text(origin)).drop { $0.hasPrefix("// ") }
    #expect(printed.flatMap { Self.lines($0.text) } == Array(lines))
  }

  /// Returns the non-empty lines without their indentation, which depends on the context.
  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}

extension Example {
  /// The file that the block is quoted from.
  fileprivate var origin: String? { flags.lazy.first { $0.hasPrefix("from=") }.map { String($0.dropFirst(5)) } }
}
