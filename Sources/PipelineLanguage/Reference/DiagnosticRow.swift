import HTTPOperations
import PluginHost

/// One row of the table of codes: what a code means, a file that yields it, and what to do.
struct DiagnosticRow: Sendable {
  /// What yields the code.
  enum Example: Sendable {
    /// The smallest pipeline file, called `example.yaml`, and the files that it runs by their names; with one of a host, it is checked for that.
    case file(String, others: [String: String])
    /// A situation that no small file has, as it goes on behind `For example:`.
    case situation(String)
  }

  /// What the file of a host is called.
  static let hostFile = "host.yaml"

  /// The code as it is printed.
  let code: String
  /// What it says of the file, in one sentence.
  let meaning: String
  let example: Example
  /// What to do, in Markdown.
  let fix: String

  private init(code: String, meaning: String, example: Example, fix: String) {
    self.code = code
    self.meaning = meaning
    self.example = example
    self.fix = fix
  }

  /// A row with a file.
  init(
    _ code: any FindingCode, _ meaning: String, _ text: String, others: [String: String] = [:], fix: String
  ) {
    self.init(code: code.rawValue, meaning: meaning, example: .file(text, others: others), fix: fix)
  }

  /// A row for what no small file yields.
  init(_ code: any FindingCode, _ meaning: String, when situation: String, fix: String) {
    self.init(code: code.rawValue, meaning: meaning, example: .situation(situation), fix: fix)
  }
}
