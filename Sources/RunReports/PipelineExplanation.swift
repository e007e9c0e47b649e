import PipelineLanguage
import RunHistory
import Values

/// Explains why a pipeline that a host serves is not running, and when it will.
package struct PipelineExplanation: Sendable {
  package let entry: StatusReport.Entry
  /// Its queued runs, each with what it waits for.
  package let places: [QueueReport.Place]
  /// Its latest occasions, most recent first.
  package let occasions: [Occasion]
  /// Whether a host serves the workspace now.
  package let isServed: Bool
  /// Why that host is at a standstill; nil if it is not.
  private let standstill: HostStandstill?
  /// Whether that host is draining and begins nothing more.
  private let isDraining: Bool
  /// Starts the latest host again.
  private let command: String
  /// The command that starts a run of it.
  package let startCommand: String

  /// The maximum number of occasions shown.
  static let latestOccasions = 5

  /// Returns nil if no host has served a pipeline of that name.
  ///
  /// - Parameters:
  ///   - name: The name of the pipeline.
  ///   - history: The history.
  /// - Throws: `WorkspaceError`.
  package init?(of name: String, in history: History) throws {
    let report = try StatusReport(of: [name], in: history, isDetailed: true)
    guard let entry = report.entries.first else { return nil }
    self.entry = entry
    startCommand = entry.pipeline.startCommand(
      PipelineLoader.load(path: entry.pipeline.path, plugins: .unchecked).pipeline)
    isServed = report.isServed
    standstill = report.standstill
    isDraining = report.host?.state == .draining
    command = report.host?.command ?? HostRecord.plainCommand
    places = try QueueReport(of: name, in: history).places
    var filter = OccasionFilter()
    filter.pipeline = name
    filter.limit = Self.latestOccasions
    occasions = try history.occasions(filter)
  }

  /// Sentences that say what it waits for.
  package var sentences: [String] {
    var sentences: [String] = []
    if !isServed {
      sentences.append("No host serves the workspace, so nothing starts it; start one with `\(command)`.")
    } else if isDraining {
      sentences.append("The host is draining: nothing starts until the next host serves the workspace.")
    }
    if let standstill { sentences.append(standstill.words.asSentence) }
    if let problem = entry.pipeline.problem {
      sentences.append(
        entry.pipeline.isUnattended
          ? problem.asSentence
          : entry.pipeline.isLoaded
            ? "\(entry.pipeline.claimants.isEmpty ? "Its file has errors" : "Another file has the same name"); the last good version stays active until this is corrected:\n\(problem)"
            : "It is not served, because its file has errors:\n\(problem)")
    }
    if let pause = entry.pause {
      sentences.append("It is \(pause.words); `penstock unpause \(ShellText.quoted(entry.pipeline.name))` ends that.")
    }
    for problem in entry.controllerProblems {
      let next =
        problem.isOver
        ? "it starts nothing until its settings or the file of its plugin change"
        : "it is restarted each time, and counts as healthy after a minute without a failure"
      sentences.append("Its \(problem.words); \(next).")
    }
    sentences += entry.sentences
    switch entry.next {
    case .at(let time): sentences.append("It is due next at \(ClockText.dateAndTime(time)).")
    case .causes(let causes): sentences.append("It is started by: \(causes).")
    case .overdue(let time):
      sentences.append("It was due at \(ClockText.dateAndTime(time)), when its host could not start anything.")
    case .request: sentences.append("It has no trigger; start it with `\(startCommand)`.")
    // What it waits for has been said.
    case .unpaused, .host, .nextHost, .corrected: break
    }
    if isServed, entry.pipeline.isLoaded { sentences += entry.conditions.compactMap(Self.words) }
    return sentences
  }

  /// Returns a sentence on what a condition prevents; nil if the condition is true.
  private static func words(for condition: PublishedSpecification) -> String? {
    guard condition.value != true else { return nil }
    let value = condition.value == false ? "is false" : "is unknown"
    let reason = condition.reason.map { " (\(TerminalText.oneLine($0)))" } ?? ""
    let effect = condition.name == "automatic" ? ", so neither an edit nor `rerun_on_change` starts it" : ""
    return "`\(condition.name)` \(value): \(condition.formula)\(reason)\(effect)."
  }

  /// The explanation as JSON.
  package func jsonValue() -> JSONValue {
    .object([
      "pipeline": entry.jsonValue(), "served": .bool(isServed), "queue": .array(places.map { $0.jsonValue() }),
      "occasions": .array(occasions.map { $0.jsonValue() }),
      "sentences": .array(sentences.map { .string($0) }),
    ])
  }
}
