import ArgumentParser
import Glibc
import PipelineLanguage
import PipelineService
import RunHistory
import Values

/// What a shell offers for an argument when somebody presses TAB: looked up in the workspace of the words that are there already, quickly, and without a word
/// about what is wrong.
enum ArgumentCompletion {
  /// Ids of the latest runs, of those in `states` where any are given, and `last`.
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

  /// Names of operations: of the file that is run, or of the run that is looked at. Behind a bracket, of the items of loops, too.
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

  /// Names of params, with the sign behind them: of the file that is run, of the served pipeline that is started, or of the run that is repeated.
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

  /// Labels: of the file that is run, and of the latest runs.
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

  /// How many runs are offered. What was typed may be the beginning of an older one; nobody looks through more of them.
  private static let limit = 100

  /// Something that may be meant.
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

  /// A candidate as the script of a shell reads it; nil where that would not be taken for what it is.
  ///
  /// Names in a history may be anything: bash expands what it is offered, so that `$(…)` in it would be run.
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
  /// Whether the command runs a file, rather than looks at a run.
  fileprivate var isOfFile: Bool { ["run", "backfill", "check", "graph", "eval"].contains(command.first ?? "") }

  /// The history of the workspace that the words name.
  fileprivate var history: History? {
    guard workspace?.isEmpty != true else { return nil }
    let hosts = workspace == nil ? config.flatMap { HostDefinition.load(path: $0).host?.workspace } : nil
    return try? WorkspaceLocation.find(option: workspace ?? hosts)?.historyIfPresent()
  }

  /// Whether the command asks for runs of a pipeline that a host serves.
  fileprivate var isOfServedPipeline: Bool { command == ["start"] }

  /// The file that the words name, that of the served pipeline which they name, or what is taken without one. Nothing is said of its mistakes.
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

  /// The run that the words name, or what is taken without one.
  fileprivate func run(in history: History) throws -> RunRecord? {
    let reference = RunReference(history: history)
    for argument in arguments {
      if let run = try? reference.find(argument) { return run }
    }
    return try command == ["retry"] ? history.latestRun(for: .retry) : try? reference.find("last")
  }
}
