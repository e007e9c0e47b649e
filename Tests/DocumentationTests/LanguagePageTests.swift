import Foundation
import Testing

@testable import Expressions
@testable import PipelineLanguage

@Suite("The pages of the language")
struct LanguagePageTests {
  @Test("are all listed in the index, and their examples are all checked", arguments: LanguagePages.all)
  func page(path: String) throws {
    #expect(Documents.all.contains(path), "the tests of documents do not read \(path)")
    let index = try Documents.text(LanguagePages.index)
    let list = try #require(index.range(of: "\n## Pages\n"))
    let link = "](\(path.dropFirst("Documentation/".count)))"
    #expect(index[list.upperBound...].contains("\(link): "), "the index does not list \(path)")
    let text = try Documents.text(path)
    for example in Documents.examples where example.document == path {
      #expect(
        ["yaml", "console", "text", "sh"].contains(example.language), "\(example.testDescription) is not checked")
    }
    let fences = text.components(separatedBy: "\n").count { $0.hasPrefix("```") }
    #expect(Documents.examples.count { $0.document == path } * 2 == fences, "a block of \(path) is not closed")
    #expect(
      path == LanguagePages.allKeys || Documents.pipelines.contains { $0.document == path },
      "\(path) has no example")
  }

  @Test("begin with a title and with what they are for", arguments: LanguagePages.all)
  func beginning(path: String) throws {
    let lines = try Documents.text(path).components(separatedBy: "\n")
    #expect(lines[0].hasPrefix("# ") && lines[1].isEmpty)
    #expect(lines.dropFirst(2).prefix(5).joined(separator: " ").contains("This page is for "), "\(path)")
  }

  @Test("have the current table of keys of each section", .serialized, arguments: LanguagePages.tables)
  func table(table: LanguagePages.Table) throws {
    let expected = LanguageReference.table(of: table.keys)
    if ProcessInfo.processInfo.environment["PENSTOCK_UPDATE_DOCUMENTATION"] != nil, table.text != expected {
      let text = try Documents.text(table.page)
        .replacing("\(table.mark)\n\(table.text)<!-- /keys -->", with: "\(table.mark)\n\(expected)<!-- /keys -->")
      try text.write(to: Documents.root.appendingPathComponent(table.page), atomically: true, encoding: .utf8)
    }
    #expect(table.text == expected)
  }

  @Test("explain every key in exactly one section")
  func sections() {
    for section in LanguageReference.sections {
      let explained = LanguagePages.tables.filter { $0.owner == section.owner }.flatMap { $0.keys.map(\.name) }
      #expect(explained.sorted() == section.keys.map(\.name).sorted(), "\(section.owner)")
    }
    let owners = Set(LanguageReference.sections.map(\.owner))
    for table in LanguagePages.tables { #expect(owners.contains(table.owner), "\(table.testDescription)") }
  }

  @Test("show every key in an example of the section that explains it", arguments: LanguagePages.tables)
  func examples(table: LanguagePages.Table) throws {
    var uses = KeyUses()
    for example in Documents.examples where example.document == table.page && table.section.contains(example.line) {
      guard example.language == "yaml", !example.flags.contains("wrong") else { continue }
      let isShared = example.flags.contains("shared")
      let (root, _) = YAMLReader.read(SourceText(path: example.testDescription, text: example.text))
      uses.note(try #require(root), isShared: isShared)
    }
    let names = try #require(LanguageReference.sections.first { $0.owner == table.owner }).keys.map(\.name)
    let missing = table.keys.map(\.name).filter { uses.names[names]?.contains($0) != true }
    #expect(missing == [], "the section '\(table.heading)' of \(table.page) has no example of these keys")
  }

  @Test("have the same keys as everything that a file can contain")
  func tablesOfKeys() {
    #expect(Set(LanguageReference.sections.map { $0.keys.map(\.name) }) == Set(KeyUses().names.keys))
  }

  @Test("list every function, operator and type of the language")
  func functions() throws {
    let expressions = try Documents.text("\(LanguagePages.folder)/expressions.md")
    for function in ExpressionFunction.allCases { #expect(expressions.contains("`\(function.usage)`")) }
    let types = try Documents.text("\(LanguagePages.folder)/results.md")
    for type in ["string", "int", "number", "bool", "duration", "size", "timestamp", "date", "file", "json", "none"] {
      #expect(types.contains("| `\(type)` |"), "\(type)")
    }
    let index = try Documents.text(LanguagePages.index)
    for key in LanguageReference.keysToCome { #expect(index.contains("`\(key)`"), "\(key)") }
  }
}
