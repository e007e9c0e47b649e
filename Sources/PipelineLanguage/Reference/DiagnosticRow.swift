import HTTPOperations
import PluginHost

/// A row of the table of codes: the meaning of a code, a file that yields it, and its fix.
struct DiagnosticRow: Sendable {
  /// An example that yields the code.
  enum Example: Sendable {
    /// The smallest pipeline file, named `example.yaml`, and its nested files by name; if these include a host's file, the pipeline is checked against it.
    case file(String, others: [String: String])
    /// A situation that no small file can show, as it continues after `For example:`.
    case situation(String)
  }

  /// The name of a host's file.
  static let hostFile = "host.yaml"

  /// The code as printed.
  let code: String
  /// What the code says about the file, in one sentence.
  let meaning: String
  let example: Example
  /// How to fix it, in Markdown.
  let fix: String

  private init(code: String, meaning: String, example: Example, fix: String) {
    self.code = code
    self.meaning = meaning
    self.example = example
    self.fix = fix
  }

  /// Creates a row with an example file.
  init(
    _ code: any FindingCode, _ meaning: String, _ text: String, others: [String: String] = [:], fix: String
  ) {
    self.init(code: code.rawValue, meaning: meaning, example: .file(text, others: others), fix: fix)
  }

  /// Creates a row for a code that no small file yields.
  init(_ code: any FindingCode, _ meaning: String, when situation: String, fix: String) {
    self.init(code: code.rawValue, meaning: meaning, example: .situation(situation), fix: fix)
  }
}
