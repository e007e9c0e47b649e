import Glibc
import PipelineLanguage
import RunHistory

/// A run to retry, which has come to its end.
package struct RetriedRun {
  /// Which definition a retry uses.
  package enum Definition: Sendable, Hashable {
    /// The file as it is now.
    case file(String)
    /// What was recorded with the run.
    case recorded
  }

  /// What was read of the definition.
  package struct Loaded: Sendable {
    package let result: LoadResult
    /// The files that are used as they are now although they have other texts than the run recorded: that of the pipeline, and those that it runs.
    package let changedFiles: [String]
    /// The files of variables with other values than then, which are those of now in any case.
    package let changedVariables: [String]
    /// The file that the run was of, where it cannot be read any more and what was recorded is used in its place.
    package let missingFile: String?
  }

  package let record: RunRecord
  /// Where nobody named a run: which one was taken, in words without a subject: `run 03kx9fab of 'etl', which failed 2h05m ago`.
  package let choice: String?
  private let history: History

  /// The run that `name` means, or the latest that failed or was interrupted, and has not been repaired since.
  ///
  /// - Parameters:
  ///   - name: The run; nil for the latest.
  ///   - pipeline: Where no run is named, the pipeline whose runs count, or a pattern of its name; nil for any.
  ///   - history: Where the runs are.
  /// - Throws: ``RunReferenceError``, ``RunStartError``, or `WorkspaceError`.
  package init(named name: String?, of pipeline: String? = nil, in history: History) throws {
    let reference = RunReference(history: history)
    if let name {
      record = try reference.find(name)
      choice = nil
    } else {
      guard let latest = try history.latestRun(for: .retry, of: pipeline) else {
        throw try RunStartError.nothingToRetry(of: pipeline, reference)
      }
      record = latest
      choice = try reference.choice(latest, of: pipeline)
    }
    guard record.state.isFinal else { throw RunStartError(record, reference) }
    self.history = history
  }

  /// Decides which definition is used: by default the file as it is now, since fixing the file is the usual reason for a retry.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - wantsRecorded: Whether the recorded definition is asked for.
  ///   - exists: Whether a file can be read.
  /// - Returns: The definition to use.
  package static func definition(
    of record: RunRecord, wantsRecorded: Bool, exists: (String) -> Bool
  ) -> Definition {
    guard !wantsRecorded, let path = record.path, exists(path) else { return .recorded }
    return .file(path)
  }

  /// Reads the definition.
  ///
  /// - Parameters:
  ///   - wantsRecorded: Whether to use the recorded one even where the file is still there.
  ///   - plugins: What `uses` may reach.
  /// - Returns: What was read, findings included.
  /// - Throws: `WorkspaceError`.
  package func load(wantsRecorded: Bool, plugins: PluginSource) throws -> Loaded {
    let text = try history.definition(of: record.id) ?? ""
    let recorded = try history.nestedDefinitions(of: record.id)
    switch Self.definition(of: record, wantsRecorded: wantsRecorded, exists: { access($0, R_OK) == 0 }) {
    case .file(let path):
      let result = PipelineLoader.load(path: path, plugins: plugins)
      return Loaded(
        result: result, changedFiles: result.pipeline.map { changedFiles($0, path, since: text, recorded) } ?? [],
        changedVariables: result.pipeline?.changedVariables(since: recorded) ?? [], missingFile: nil)
    case .recorded:
      let result = PipelineLoader.load(
        text: text, path: record.path ?? "\(record.pipeline).yaml",
        nested: recorded, plugins: plugins, isRecorded: true)
      // What came from standard input never had one.
      let file = wantsRecorded ? nil : record.path.flatMap { $0.hasSuffix(PipelineLoader.standardInput) ? nil : $0 }
      return Loaded(
        result: result, changedFiles: [],
        changedVariables: result.pipeline?.changedVariables(since: recorded) ?? [], missingFile: file)
    }
  }

  private func changedFiles(
    _ pipeline: PipelineDefinition, _ path: String, since text: String, _ recorded: [String: String]
  ) -> [String] {
    let nested = pipeline.nestedTexts
    let changed = nested.keys.filter { recorded[$0] != nil && recorded[$0] != nested[$0] }.sorted()
    return (pipeline.source.text == text ? [] : [path]) + changed
  }
}

extension RunReference {
  /// The run that is taken, and where a later one of another pipeline or none that is to be retried comes to mind first, what that is.
  fileprivate func choice(_ run: RunRecord, of pipeline: String?) throws -> String {
    let name = TerminalText.visible(run.pipeline)
    let instant = try history.origin(of: run).instant.map { " for \(ClockText.dateAndTime($0))" } ?? ""
    let text =
      "run \(short(run.id)) of '\(name)'\(instant), which \(run.verb) \(ClockText.ago(run.endedAt ?? run.createdAt))"
    guard let latest = try history.runs(RunFilter(pipeline: pipeline, limit: 1)).first, latest.id != run.id else {
      return text
    }
    return text + " (the latest run, \(short(latest.id)) of '\(TerminalText.visible(latest.pipeline))', \(latest.verb))"
  }
}

extension RunRecord {
  /// `succeeded`, `is running`, `was cancelled by ada with Ctrl-C`.
  fileprivate var verb: String {
    switch state {
    case .succeeded, .failed: state.rawValue
    case .queued, .running: "is \(state.rawValue)"
    case .interrupted: "was interrupted"
    case .cancelled: "was \(TerminalText.visible(canceller?.words ?? state.rawValue))"
    }
  }
}
