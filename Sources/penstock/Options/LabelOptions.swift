import ArgumentParser
import PipelineLanguage
import RunHistory
import Values

/// The labels of a run to start.
struct LabelOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("label"),
    help: ArgumentHelp(
      "Add or replace a label of the run (may be repeated)", valueName: "name=text"),
    completion: ArgumentCompletion.labels)
  var arguments: [String] = []

  func labels() throws -> [String: String] {
    guard arguments.count <= LabelRule.most else {
      throw CommandFailure("--label is given \(arguments.count) times; a run may be given \(LabelRule.most) labels")
    }
    var labels: [String: String] = [:]
    for argument in arguments {
      guard case let label = try LabelArgument.parse(argument), let text = label.text else {
        throw CommandFailure("--label needs name=text, found '\(TerminalText.visible(argument))'")
      }
      guard labels.updateValue(text, forKey: label.name) == nil else {
        throw CommandFailure("the label '\(label.name)' is given more than once")
      }
    }
    return labels
  }
}

/// The labels that runs or pipelines must have.
struct LabelFilterOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("label"),
    help: ArgumentHelp(
      "Only what has this label, with this text if given (may be repeated)", valueName: "name[=text]"),
    completion: ArgumentCompletion.labels)
  var arguments: [String] = []

  func labels() throws -> [RunLabel] { try arguments.map(LabelArgument.parse) }

  /// The options as given: `--label team=web`.
  var given: [String] { arguments.map { "--label \(TerminalText.visible(ShellText.quoted($0)))" } }
}

/// Parses `name` and `name=text`.
private enum LabelArgument {
  static func parse(_ argument: String) throws -> RunLabel {
    let equals = argument.firstIndex(of: "=")
    let name = String(argument[..<(equals ?? argument.endIndex)])
    guard LabelRule.allows(name: name) else {
      throw CommandFailure(
        "'\(TerminalText.visible(name))' cannot be the name of a label: it may contain \(LabelRule.nameText)")
    }
    let text = equals.map { String(argument[argument.index(after: $0)...]) }
    if let problem = text.flatMap(LabelRule.problem) { throw CommandFailure("the label '\(name)' \(problem)") }
    return RunLabel(name: name, text: text)
  }
}
