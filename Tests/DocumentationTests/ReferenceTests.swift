import Foundation
import Testing
import Values

@testable import PipelineLanguage
@testable import RunHistory

@Suite("References in documents")
struct ReferenceTests {
  /// Returns the generated part of a document between two marks.
  private func part(_ name: String, of document: String) throws -> String {
    let text = try Documents.text(document)
    let begin = try #require(text.range(of: "<!-- \(name) -->\n"), "no <!-- \(name) --> in \(document)")
    let end = try #require(text.range(of: "<!-- /\(name) -->", range: begin.upperBound..<text.endIndex))
    return String(text[begin.upperBound..<end.lowerBound])
  }

  /// Returns the first cells of the rows of the Markdown table under a heading, without backquotes.
  private func firstCells(under heading: String, of document: String) throws -> [String] {
    let text = try Documents.text(document)
    let start = try #require(text.range(of: "\n\(heading)\n"), "no heading '\(heading)' in \(document)")
    let rest = text[start.upperBound...]
    let section = rest.range(of: "\n#").map { rest[..<$0.lowerBound] } ?? rest
    return section.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap { row in
      row.split(separator: "`", omittingEmptySubsequences: false).dropFirst().first.map(String.init)
    }
  }

  /// Compares a generated part of a document with the current output of its generator.
  private func compare(_ name: String, of document: String, with expected: String) throws {
    if ProcessInfo.processInfo.environment["PENSTOCK_UPDATE_DOCUMENTATION"] != nil {
      let mark = "<!-- \(name) -->\n"
      let written = try part(name, of: document)
      let text = try Documents.text(document).replacing(mark + written, with: mark + expected)
      try text.write(to: Documents.root.appendingPathComponent(document), atomically: true, encoding: .utf8)
    }
    // `PENSTOCK_UPDATE_DOCUMENTATION=1 swift test --filter DocumentationTests` regenerates the parts.
    #expect(try part(name, of: document) == expected)
  }

  @Test("the tables of all keys are those of the loader")
  func keys() throws {
    try compare("keys", of: LanguagePages.allKeys, with: LanguagePages.byOwner())
    try compare("all keys", of: LanguagePages.index, with: LanguagePages.alphabetical())
  }

  @Test("the tables of keys of a host are those of its file's loader")
  func hostKeys() throws {
    try compare("host keys", of: "Documentation/host.md", with: LanguageReference.hostMarkdown())
  }

  @Test("every key of a host is used in an example, where it belongs")
  func hostKeysInExamples() throws {
    var uses = KeyUses(ofHosts: true)
    for example in Documents.hosts {
      uses.noteHost(
        try #require(YAMLReader.read(SourceText(path: example.testDescription, text: example.text)).root))
    }
    for section in LanguageReference.hostSections {
      let names = section.keys.map(\.name)
      #expect(uses.names[names] == Set(names), "\(section.owner)")
    }
    #expect(Set(uses.names.keys) == Set(LanguageReference.hostSections.map { $0.keys.map(\.name) }))
  }

  @Test("the page of codes is generated from the table of codes")
  func codes() throws {
    try compare("codes", of: "Documentation/diagnostics.md", with: DiagnosticReference.markdown())
  }

  @Test("the columns of every public view are listed in order", arguments: HistorySchema.publicViews)
  func views(name: String) throws {
    let tool = try Tool()
    defer { tool.remove() }
    let history = try History.open(at: tool.directory.path, mode: .readWrite)
    let columns = try history.sql("SELECT * FROM \(name)").columns
    #expect(try firstCells(under: "### `\(name)`", of: "Documentation/history.md") == columns)
  }

  @Test("every command and each of its options is documented")
  func commands() async throws {
    let tool = try Tool()
    defer { tool.remove() }
    let outcome = try await tool.shell("penstock --experimental-dump-help")
    let root = try #require(try JSONValue.parse(outcome.output)["command"])
    let text = try Documents.text("Documentation/command-line.md")
    var wanted: [(path: String, command: JSONValue)] = []
    var open = (root["subcommands"]?.arrayValue ?? []).map { (path: "penstock", command: $0) }
    while let next = open.popLast() {
      guard let name = next.command["commandName"]?.stringValue, name != "help" else { continue }
      // Commands that the tool only calls itself.
      if next.command["shouldDisplay"]?.boolValue == false { continue }
      let path = "\(next.path) \(name)"
      let subcommands = next.command["subcommands"]?.arrayValue ?? []
      if subcommands.isEmpty { wanted.append((path, next.command)) }
      open += subcommands.map { (path, $0) }
    }
    // Options of every command are documented once.
    let shared: Set = ["workspace", "json", "quiet", "color", "help", "version"]
    for (path, command) in wanted {
      let start = try #require(text.range(of: "\n### `\(path)"), "no section for '\(path)'")
      let rest = text[start.upperBound...]
      let section = rest.range(of: "\n##").map { rest[..<$0.lowerBound] } ?? rest
      for argument in command["arguments"]?.arrayValue ?? [] {
        for name in argument["names"]?.arrayValue ?? [] {
          guard name["kind"]?.stringValue == "long", let long = name["name"]?.stringValue, !shared.contains(long) else {
            continue
          }
          let option = try Regex("--\(long)(?![a-z-])")
          #expect(section.contains(option), "--\(long) of '\(path)'")
        }
      }
    }
    for name in shared { #expect(text.contains(try Regex("--\(name)(?![a-z-])"))) }
  }

  @Test("links lead to existing files and headings", arguments: Documents.all)
  func links(document: String) throws {
    let text = try Documents.text(document)
    let folder = Documents.root.appendingPathComponent(document).deletingLastPathComponent()
    for match in text.matches(of: /\]\(([^)#\s]*)(#[^)\s]*)?\)/) {
      let target = String(match.1)
      guard !target.contains("://") else { continue }
      let file =
        target.isEmpty ? Documents.root.appendingPathComponent(document) : folder.appendingPathComponent(target)
      #expect(FileManager.default.fileExists(atPath: file.path), "\(document): \(target)")
      guard let anchor = match.2?.dropFirst(), file.pathExtension == "md" else { continue }
      let headings = try String(contentsOf: file, encoding: .utf8).matches(of: /(?m)^#+ (.*)$/).map { heading in
        Documents.anchor(of: String(heading.1))
      }
      #expect(headings.contains(String(anchor)), "\(document): \(target)#\(anchor)")
    }
  }
}
