import Foundation
import Testing

@testable import PipelineLanguage

/// The pages of the language, and the tables of keys in them.
///
/// A table stands between `<!-- keys of OWNER: NAME, NAME -->` and `<!-- /keys -->`, and is generated. The owner is that of a section of
/// ``LanguageReference``; without names, the table has all of its keys.
enum LanguagePages {
  static let index = "Documentation/language.md"
  static let folder = "Documentation/language"
  static let allKeys = "Documentation/language/keys.md"

  /// The paths of the pages, relative to the root, read from the folder itself.
  static let all: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: Documents.root.appendingPathComponent(folder).path)
    return (names ?? []).sorted().map { "\(folder)/\($0)" }
  }()

  /// A generated table of keys.
  struct Table: Sendable, CustomTestStringConvertible {
    var page: String
    /// The mark before the table.
    var mark: String
    var owner: String
    var keys: [LanguageReference.Key]
    /// The heading above the table.
    var heading: String
    /// The lines of the section of that heading, from 1.
    var section: Range<Int>
    /// The lines between the marks.
    var text: String

    var testDescription: String { "\(page): \(mark)" }

    /// What a page in `Documentation` links to.
    var link: String {
      "\(page.split(separator: "/").dropFirst().joined(separator: "/"))#\(Documents.anchor(of: heading))"
    }
  }

  /// The tables of all pages.
  static let tables: [Table] = all.flatMap { tables(in: (try? Documents.text($0)) ?? "", of: $0) }

  /// Returns the table that has a key.
  static func table(of key: String, owner: String) -> Table? {
    tables.first { $0.owner == owner && $0.keys.contains { $0.name == key } }
  }

  private static func tables(in text: String, of page: String) -> [Table] {
    let lines = text.components(separatedBy: "\n")
    var headings: [(line: Int, title: String)] = []
    var isCode = false
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") { isCode.toggle() }
      if !isCode, line.hasPrefix("#") { headings.append((index + 1, String(line.drop { $0 == "#" || $0 == " " }))) }
    }
    return lines.indices.compactMap { index in
      guard let match = lines[index].wholeMatch(of: /<!-- keys of ([^:]+?)(?:: (.*))? -->/) else { return nil }
      let owner = String(match.1)
      let known = LanguageReference.sections.first { $0.owner == owner }?.keys ?? []
      let names = match.2?.split(separator: ", ").map(String.init) ?? known.map(\.name)
      let end = lines[index...].firstIndex(of: "<!-- /keys -->") ?? lines.endIndex
      let next = headings.first { $0.line > index + 1 }?.line ?? lines.count + 1
      let heading = headings.last { $0.line <= index } ?? (1, "")
      return Table(
        page: page, mark: lines[index], owner: owner,
        keys: names.map { name in
          known.first { $0.name == name }
            ?? .init(name: name, form: "unknown", summary: "unknown", actions: nil, isRequired: false)
        },
        heading: heading.title, section: heading.line..<next,
        text: lines[(index + 1)..<end].map { $0 + "\n" }.joined())
    }
  }

  /// Returns the alphabetical table of the index: each key with links to the sections that explain it.
  static func alphabetical() -> String {
    var owners: [String: [String]] = [:]
    for section in LanguageReference.sections {
      for key in section.keys {
        let link = table(of: key.name, owner: section.owner)?.link ?? "nowhere"
        owners[key.name, default: []].append("[\(section.owner)](\(link))")
      }
    }
    var text = "| key | of |\n|---|---|\n"
    for (name, links) in owners.sorted(by: { $0.key < $1.key }) {
      text += "| `\(name)` | \(links.joined(separator: ", ")) |\n"
    }
    return text
  }

  /// Returns the tables of the page with all keys, by their owners.
  static func byOwner() -> String {
    LanguageReference.markdown { section, key in
      table(of: key.name, owner: section.owner)?.link.replacing("language/", with: "")
    }
  }
}
