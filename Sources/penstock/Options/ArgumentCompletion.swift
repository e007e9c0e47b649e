import ArgumentParser
import Glibc
import PipelineLanguage
import PipelineService
import RunHistory
import Values

/// The candidates that a shell offers for an argument when the user presses TAB: looked up quickly, in the workspace that the words so far refer to,
/// and without reporting errors.
enum ArgumentCompletion {
  /// Ids of the latest runs, restricted to `states` unless that is empty, and `last`.
  static func runs(_ states: Set<RunState> = []) -> CompletionKind {
    custom { words in
      guard let history = words.history else { return [] }
      let runs = try history.runs(RunFilter(states: states, includesNested: words.current.count > 3, limit: limit))
      let found = try runs.map { run in
        let title =
          "\(run.pipeline) \(run.state.rawValue) \(ClockText.ago(run.endedAt ?? run.startedAt ?? run.createdAt))"
        return Candidate(try history.shortForm(of: run.id), title)
      }
      return found + (states.isEmpty && !runs.isEmpty ? [Candidate("last", "the latest run")] : [])
    }
  }

  /// Names of operations of the file to run, or of the run to examine. After a bracket, also of the items of loops.
  static let operations = custom { words in
    if words.isOfFile { return words.pipeline?.operations.map { Candidate($0.name, $0.description) } ?? [] }
    guard let history = words.history, let run = try words.run(in: history) else { return [] }
    let operations = try history.operations(of: run.id)
    let shown = words.current.contains("[") ? operations : operations.filter { $0.parent == nil }
    return shown.map { Candidate($0.name, $0.label ?? $0.state.rawValue) }
  }

  /// Names of operations that wait for an answer.
  static let questions = custom { words in
    guard let history = words.history, let run = try words.run(in: history) else { return [] }
    return try history.pendingApprovals(run.id).map { Candidate($0.operation, $0.message) }
  }

  /// Names of operations that wait for a retry.
  static let retries = custom { words in
    guard let history = words.history, let run = try words.run(in: history) else { return [] }
    return try WaitingRetries(of: run, in: history).paths().map { Candidate($0) }
  }

  /// Names of params followed by an equals sign: of the file to run, of the served pipeline to start, or of the run to retry.
  static let parameters = custom { words in
    if words.isOfFile || words.isOfServedPipeline {
      return words.pipeline?.parameters.map { Candidate("\($0.name)=", $0.description ?? "\($0.type)") } ?? []
    }
    guard let history = words.history, let run = try words.run(in: history) else { return [] }
    let given = (try? JSONValue.parse(run.params))?.objectValue ?? [:]
    return given.keys.map { Candidate("\($0)=") }
  }

  /// Names of pipelines that have runs.
  static let pipelines = custom { words in try words.history?.pipelineNames().map { Candidate($0) } ?? [] }

  /// Names of pipelines that a host serves.
  static let servedPipelines = custom { words in
    try words.history?.publishedPipelines().map { Candidate($0.name, $0.description) } ?? []
  }

  /// Labels of the file to run, and of the latest runs.
  static let labels = custom { words in
    var texts: [String: Set<String>] = [:]
    let runs = try words.history?.runs(RunFilter(limit: limit)) ?? []
    for labels in [words.isOfFile ? words.pipeline?.labels ?? [:] : [:]] + runs.map(\.labels) {
      for (name, text) in labels { texts[name, default: []].insert(text) }
    }
    return texts.sorted { $0.key < $1.key }.flatMap { name, texts in
      [Candidate("\(name)=")] + texts.sorted().map { Candidate("\(name)=\($0)") }
    }
  }

  /// The states of runs.
  static let states = CompletionKind.list(RunState.allCases.map(\.rawValue))

  /// The maximum number of runs searched and offered. The word may be the start of an older run's id, but a longer list is of no use.
  private static let limit = 100

  /// A completion candidate.
  struct Candidate {
    let text: String
    let title: String

    init(_ text: String, _ title: String? = nil) {
      self.text = text
      self.title = title ?? ""
    }
  }

  private static func custom(_ find: @escaping @Sendable (TypedWords) throws -> [Candidate]) -> CompletionKind {
    .custom { words, index, _ in
      let home = getenv("HOME").map { String(cString: $0) }
      let found = (try? find(TypedWords(words, at: index, home: home))) ?? []
      return found.compactMap { line(of: $0, for: CompletionShell.requesting) }
    }
  }

  /// Formats a candidate for the script of a shell; returns nil if the shell would misinterpret it.
  ///
  /// Names in a history may be arbitrary: bash expands candidates, so a `$(…)` in one would be executed.
  static func line(of candidate: Candidate, for shell: CompletionShell?) -> String? {
    let text = candidate.text
    guard !text.isEmpty, !text.hasPrefix("-"), TerminalText.visible(text) == text else { return nil }
    let title = TerminalText.fitted(TerminalText.oneLine(candidate.title), width: 60)
    switch shell {
    case .zsh?:
      let name = text.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
      return title.isEmpty ? name : "\(name):\(title)"
    case .fish?: return title.isEmpty ? text : "\(text)\t\(title)"
    default:
      let isPlain = text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || plain.contains($0) }
      return isPlain ? text : nil
    }
  }

  private static let plain = Set("0123456789._-=/:,+@%[]".unicodeScalars)
}

extension TypedWords {
  /// Whether the command runs a file rather than examining a run.
  fileprivate var isOfFile: Bool { ["run", "backfill", "check", "graph", "eval"].contains(command.first ?? "") }

  /// The history of the workspace that the words refer to.
  fileprivate var history: History? {
    guard workspace?.isEmpty != true else { return nil }
    let hosts = workspace == nil ? config.flatMap { HostDefinition.load(path: $0).host?.workspace } : nil
    return try? WorkspaceLocation.find(option: workspace ?? hosts)?.historyIfPresent()
  }

  /// Whether the command requests runs of a pipeline that a host serves.
  fileprivate var isOfServedPipeline: Bool { command == ["start"] }

  /// The pipeline file that the words name, that of the served pipeline that they name, or the default file. Errors in it are not reported.
  fileprivate var pipeline: PipelineDefinition? {
    let file: String?
    if isOfServedPipeline {
      file = arguments.lazy.compactMap { try? history?.publishedPipeline($0)?.path }.first
    } else {
      file =
        arguments.first { access($0, R_OK) == 0 }
        ?? PipelineFileLoading.defaultFiles.first { access($0, R_OK) == 0 }
    }
    guard let file else { return nil }
    return PipelineLoader.load(path: file, plugins: .unchecked, host: .unchecked).pipeline
  }

  /// Returns the run that the words name, or the default run.
  fileprivate func run(in history: History) throws -> RunRecord? {
    let reference = RunReference(history: history)
    for argument in arguments {
      if let run = try? reference.find(argument) { return run }
    }
    return try command == ["retry"] ? history.latestRun(for: .retry) : try? reference.find("last")
  }
}
