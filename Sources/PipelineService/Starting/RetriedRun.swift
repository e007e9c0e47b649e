import Glibc
import PipelineLanguage
import RunHistory

/// An ended run to retry.
package struct RetriedRun {
  /// The definition that a retry uses.
  package enum Definition: Sendable, Hashable {
    /// The current file.
    case file(String)
    /// The definition recorded with the run.
    case recorded
  }

  /// The result of loading the definition.
  package struct Loaded: Sendable {
    package let result: LoadResult
    /// The files that are used in their current version although the run recorded a different text: that of the pipeline, and those that it runs.
    package let changedFiles: [String]
    /// The files of variables whose values have changed since; the current values are used in any case.
    package let changedVariables: [String]
    /// The file of the run if it can no longer be read and the recorded definition is used instead.
    package let missingFile: String?
  }

  package let record: RunRecord
  /// If no run was named, the run that was chosen, in words without a subject: `run 03kx9fab of 'etl', which failed 2h05m ago`.
  package let choice: String?
  private let history: History

  /// Finds the run named `name`, or the latest that failed or was interrupted and has not been repaired since.
  ///
  /// - Parameters:
  ///   - name: The run; nil for the latest.
  ///   - pipeline: If no run is named, the pipeline whose runs are considered, or a pattern for its name; nil for any.
  ///   - history: The history that has the runs.
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

  /// Decides which definition is used: by default the current file, since fixing the file is the usual reason for a retry.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - wantsRecorded: Whether the recorded definition is requested.
  ///   - exists: Whether a file can be read.
  /// - Returns: The definition to use.
  package static func definition(
    of record: RunRecord, wantsRecorded: Bool, exists: (String) -> Bool
  ) -> Definition {
    guard !wantsRecorded, let path = record.path, exists(path) else { return .recorded }
    return .file(path)
  }

  /// Loads the definition.
  ///
  /// - Parameters:
  ///   - wantsRecorded: Whether to use the recorded definition even if the file still exists.
  ///   - plugins: The plugins available to `uses`.
  /// - Returns: The result of loading, including findings.
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
      // A pipeline from standard input never had a file.
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
  /// Describes the chosen run and, if it is not the latest run, that one as well: a reader would expect it to be chosen.
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
