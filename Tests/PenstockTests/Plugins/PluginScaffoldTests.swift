import Foundation
import Testing

@testable import penstock

@Suite("New plugins")
struct PluginScaffoldTests {
  private func scaffold(_ language: PluginScaffold.Language, checkout: String? = nil) -> PluginScaffold {
    PluginScaffold(name: "release-notes", language: language, checkout: checkout)
  }

  private func text(_ path: String, of scaffold: PluginScaffold) throws -> String {
    try #require(scaffold.files.first { $0.path == path }).text
  }

  @Test(
    "are called like their ids",
    arguments: [
      ("words", true), ("release-notes", true), ("a1", true), ("", false), ("1a", false), ("Words", false),
      ("-a", false),
      ("a_b", false), ("ä", false), (String(repeating: "a", count: 65), false),
    ])
  func names(name: String, isName: Bool) {
    #expect(PluginScaffold.isName(name) == isName)
  }

  @Test("in C have the contract as it is")
  func header() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/PluginABI/include/penstock/plugin.h")
    #expect(try text("penstock/plugin.h", of: scaffold(.c)) == String(contentsOf: file, encoding: .utf8))
  }

  @Test("have no placeholder left in them", arguments: PluginScaffold.Language.allCases)
  func placeholders(language: PluginScaffold.Language) {
    for file in scaffold(language, checkout: "/somewhere").files where file.path != "penstock/plugin.h" {
      #expect(!file.text.contains("NAME"), "\(file.path)")
      #expect(!file.text.contains("TYPE"), "\(file.path)")
      #expect(!file.text.contains("PENSTOCK_PATH"), "\(file.path)")
    }
  }

  @Test("in Swift name the checkout, or say that it must be named")
  func checkout() throws {
    let found = try text("Package.swift", of: scaffold(.swift, checkout: "/a \"b\""))
    #expect(found.contains("let penstock = \"/a \\\"b\\\"\"\n"))
    let missing = try text("Package.swift", of: scaffold(.swift))
    #expect(
      missing.contains(
        "// TO DO: write the path of a checkout of Penstock here. Without it the plugin does not build.\n"))
  }
}
