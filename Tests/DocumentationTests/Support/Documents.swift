import Foundation
import Testing

/// An example in a document: a fenced block.
///
/// What stands behind the language says what a test does with it:
///
/// | info string | what is tested |
/// |---|---|
/// | `yaml` | the loader accepts it, and so does the JSON Schema |
/// | `yaml run` | that, and the built tool runs it, successfully |
/// | `yaml plugins` | the loader accepts it without looking for the plugins that it uses |
/// | `yaml wrong` | the loader refuses it |
/// | `yaml shared` | it is a file that pipelines include, and nothing is wrong with it |
/// | `yaml host` | it is the file of a host, and nothing is wrong with it, also by its JSON Schema |
/// | `yaml finding` | nothing: it is made from the table of codes, which has a test of its own |
/// | `yaml from=PATH` | as `yaml`, and it stands in that file |
/// | `yaml file=NAME` | kept as that file for the commands further down in the document |
/// | `console` | each line after `$ ` is run in the document's own directory; what it prints is what follows |
///
/// A `yaml` block that begins with `- ` is a list of operations, one without `operations:` the rest of a pipeline.
struct Example: Sendable, CustomTestStringConvertible {
  var document: String
  /// The line of the fence, from 1.
  var line: Int
  var language: String
  var flags: [String]
  var text: String

  var testDescription: String { "\(document):\(line)" }

  /// The name under which the block is kept for commands.
  var file: String? { flags.lazy.first { $0.hasPrefix("file=") }.map { String($0.dropFirst(5)) } }

  /// The block as a whole pipeline.
  var pipeline: String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.contains(where: { $0.hasPrefix("operations:") }) { return text }
    if lines.contains(where: { $0.hasPrefix("- ") }) {
      return "operations:\n" + lines.map { "  \($0)" }.joined(separator: "\n") + "\n"
    }
    return text + "\noperations:\n  - { name: nothing, value: 0 }\n"
  }
}

/// The documents of the checkout, and the examples in them.
enum Documents {
  /// The root of the checkout.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The paths of README.md and everything in Documentation, relative to the root.
  static let all: [String] = {
    let folder = root.appendingPathComponent("Documentation")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return ["README.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
  }()

  /// The text of a document, by its path relative to the root.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// All fenced blocks of all documents.
  static let examples: [Example] = all.flatMap { examples(in: (try? text($0)) ?? "", of: $0) }

  /// The pipelines among them that have to be right.
  static let pipelines = examples.filter {
    $0.language == "yaml" && $0.flags.allSatisfy { !["wrong", "finding", "shared", "host"].contains($0) }
  }

  /// The files that pipelines include among them.
  static let shared = examples.filter { $0.flags.contains("shared") }

  /// The files of hosts among them.
  static let hosts = examples.filter { $0.flags.contains("host") }

  /// The files that an example may include: those that its document keeps by a name.
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
