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
    "must be named by a valid id",
    arguments: [
      ("words", true), ("release-notes", true), ("a1", true), ("", false), ("1a", false), ("Words", false),
      ("-a", false),
      ("a_b", false), ("ä", false), (String(repeating: "a", count: 65), false),
    ])
  func names(name: String, isName: Bool) {
    #expect(PluginScaffold.isName(name) == isName)
  }

  @Test("in C contain the unmodified contract")
  func header() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/PluginABI/include/penstock/plugin.h")
    #expect(try text("penstock/plugin.h", of: scaffold(.c)) == String(contentsOf: file, encoding: .utf8))
  }

  @Test("contain no placeholders", arguments: PluginScaffold.Language.allCases)
  func placeholders(language: PluginScaffold.Language) {
    for file in scaffold(language, checkout: "/somewhere").files where file.path != "penstock/plugin.h" {
      #expect(!file.text.contains("NAME"), "\(file.path)")
      #expect(!file.text.contains("TYPE"), "\(file.path)")
      #expect(!file.text.contains("PENSTOCK_PATH"), "\(file.path)")
    }
  }

  @Test(
    "in Swift find the checkout through a link beside the manifest, which contains no local directory and no unsafe flags"
  )
  func checkout() throws {
    let found = scaffold(.swift, checkout: "/a \"b\"")
    let link = try #require(found.files.first { $0.isLink })
    #expect(link.path == "Dependencies/penstock" && link.text == "/a \"b\"")
    #expect(try text(".gitignore", of: found).contains("Dependencies\n"))
    let manifest = try text("Package.swift", of: found)
    #expect(manifest.contains(#".package(name: "penstock", path: "Dependencies/penstock")"#))
    #expect(!manifest.contains("unsafeFlags") && !manifest.contains("/a"))
    #expect(scaffold(.swift).files.allSatisfy { !$0.isLink })
  }

  @Test("have a pipeline to try them in", arguments: PluginScaffold.Language.allCases)
  func pipeline(language: PluginScaffold.Language) throws {
    #expect(try text("try.yaml", of: scaffold(language)).contains("uses: release-notes.greet"))
    #expect(try text("Makefile", of: scaffold(language)).contains("\ntry: "))
  }

  @Test(
    "have a target that makes the files to publish, which is not for version control",
    arguments: PluginScaffold.Language.allCases)
  func dist(language: PluginScaffold.Language) throws {
    let makefile = try text("Makefile", of: scaffold(language))
    #expect(makefile.contains("\ndist: test\n\trm -rf dist"))
    #expect(makefile.contains("\n.PHONY: ") && makefile.contains(" dist clean\n"))
    #expect(makefile.contains("\tfile=release-notes-$$version-$$(uname -m).so && cp "))
    #expect(!makefile.contains("DIST"))
    #expect(try text(".gitignore", of: scaffold(language)).contains("\ndist\n"))
  }
}
