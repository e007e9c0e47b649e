import Foundation
import Testing

/// An example in a document: a fenced block.
///
/// The words after the language determine how it is tested:
///
/// | info string | test |
/// |---|---|
/// | `yaml` | the loader accepts it, and so does the JSON Schema |
/// | `yaml run` | as `yaml`, and the built tool runs it successfully |
/// | `yaml plugins` | the loader accepts it without searching for the plugins that it uses |
/// | `yaml wrong` | the loader rejects it |
/// | `yaml shared` | it is a file that pipelines include, and has no findings |
/// | `yaml host` | it is the file of a host, has no findings, and its JSON Schema accepts it |
/// | `yaml finding` | none: it is generated from the table of codes, which has its own test |
/// | `yaml from=PATH` | as `yaml`, and it is identical to that file |
/// | `yml` | none: it is a file of another program |
/// | any with `file=NAME` | stored as that file for the commands further down in the document; with `program`, an executable one |
/// | `console` | each line after `$ ` is run in the document's own directory, and must succeed (`; echo "exit code $?"` shows a failure); the lines after it are its output |
///
/// A block is tested as it stands, so that a reader can paste it.
struct Example: Sendable, CustomTestStringConvertible {
  var document: String
  /// The line of the fence, from 1.
  var line: Int
  var language: String
  var flags: [String]
  var text: String

  var testDescription: String { "\(document):\(line)" }

  /// The name of the file in which the block is stored for commands.
  var file: String? { flags.lazy.first { $0.hasPrefix("file=") }.map { String($0.dropFirst(5)) } }
}

/// The documents of the checkout, and the examples in them.
enum Documents {
  /// The root of the checkout.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The paths of README.md, CONTRIBUTING.md and everything below Documentation, relative to the root.
  static let all: [String] = {
    let walk = FileManager.default.enumerator(atPath: root.appendingPathComponent("Documentation").path)
    let names = walk?.compactMap { $0 as? String } ?? []
    return ["README.md", "CONTRIBUTING.md"]
      + names.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
  }()

  /// Returns the text of a document, by its path relative to the root.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Returns the anchor of a heading, as GitHub makes it.
  static func anchor(of heading: String) -> String {
    heading.lowercased().replacing(" ", with: "-").filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }

  /// All fenced blocks of all documents.
  static let examples: [Example] = all.flatMap { examples(in: (try? text($0)) ?? "", of: $0) }

  /// The examples that are valid pipelines.
  static let pipelines = examples.filter {
    $0.language == "yaml" && $0.flags.allSatisfy { !["wrong", "finding", "shared", "host"].contains($0) }
  }

  /// The examples that are files to include.
  static let shared = examples.filter { $0.flags.contains("shared") }

  /// The examples that are files of hosts.
  static let hosts = examples.filter { $0.flags.contains("host") }

  /// Returns the files that an example may include: those that its document stores by name.
  static func files(of example: Example) -> [(name: String, text: String)] {
    shared.filter { $0.document == example.document }.compactMap { other in
      other.file.map { (name: $0, text: other.text) }
    }
  }

  /// The paths of all pipeline files in `examples/`, relative to the root.
  static let files: [String] = {
    let walk = FileManager.default.enumerator(atPath: root.appendingPathComponent("examples").path)
    let paths = walk?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".yaml") }.sorted().map { "examples/\($0)" }
  }()

  private static func examples(in text: String, of document: String) -> [Example] {
    var examples: [Example] = []
    var open: Example?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard line.hasPrefix("```") else {
        open?.text += line + "\n"
        continue
      }
      if let example = open {
        examples.append(example)
        open = nil
      } else {
        let words = line.dropFirst(3).split(separator: " ").map(String.init)
        open = Example(
          document: document, line: index + 1, language: words.first ?? "", flags: Array(words.dropFirst()), text: "")
      }
    }
    return examples
  }
}
