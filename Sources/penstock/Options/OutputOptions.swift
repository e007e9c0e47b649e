import ArgumentParser
import Expressions
import PipelineLanguage
import Values

extension OutputDisplay: ExpressibleByArgument {}

/// The parts of operations' output, and the results, that a command running a pipeline shows.
struct OutputOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "Which output of operations to show: stream (each line as it comes), failed (the last lines of those that failed) or none",
      discussion: "Default: stream if CI is set, else failed.", valueName: "what"),
    completion: .list(["stream", "failed", "none"]))
  var output: OutputDisplay?

  @Option(
    name: .customLong("result"),
    help: ArgumentHelp(
      "Print the result of this operation at the end, even with --quiet (may be repeated)", valueName: "operation"),
    completion: ArgumentCompletion.operations)
  var results: [String] = []

  /// - Throws: ``CommandFailure`` if the pipeline has no operation of a given name.
  func apply(to presentation: inout RunPresentation) throws {
    let isAutomatic = Environment["CI"].map { !["", "0", "false"].contains($0.lowercased()) } ?? false
    // Quiet runs, and event output, show no lines by default.
    presentation.output =
      output ?? (isAutomatic && !presentation.isQuiet && !presentation.isJSON ? .stream : .failed)
    guard !results.isEmpty else { return }
    let names = presentation.pipeline?.operations.map(\.name) ?? []
    presentation.results = try results.map { name in
      if let found = OperationName.find(name, among: names) { return found }
      let near = NearestName.suggestion(for: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      throw CommandFailure("--result: there is no operation '\(name)'\(near)")
    }
  }
}
