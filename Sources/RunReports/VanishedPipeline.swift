import RunHistory
import Values

/// A pipeline that is no longer served because its file or its folder no longer exists.
package struct VanishedPipeline: Sendable {
  package let name: String
  /// Its latest occasions, most recent first.
  package let occasions: [Occasion]
  /// Whether a host serves the workspace now.
  private let isServed: Bool
  /// Starts the last host again.
  private let command: String
  private let latest: RunRecord?
  private let short: String?

  /// Returns nil if the pipeline is served, or never was.
  ///
  /// - Throws: `WorkspaceError`.
  package init?(of name: String, in history: History) throws {
    var filter = OccasionFilter()
    filter.pipeline = name
    filter.limit = PipelineExplanation.latestOccasions
    occasions = try history.occasions(filter)
    guard try !occasions.isEmpty && history.publishedPipeline(name) == nil else { return nil }
    self.name = name
    isServed = try history.currentHost() != nil
    command = try history.hostCommand()
    latest = try history.runs(RunFilter(pipeline: name, limit: 1)).first
    short = try latest.map { try history.shortForm(of: $0.id) }
  }

  /// Sentences that say why it does not run.
  package var sentences: [String] {
    var sentences = [
      isServed
        ? "The host cannot find its file, so nothing starts it; it is served again when the file is back."
        : "The last host could not find its file, and no host serves the workspace now; start one with `\(command)`."
    ]
    if let latest, let short {
      sentences.append("Its latest run is \(short) (\(latest.state.rawValue)); see `penstock explain \(short)`.")
    }
    return sentences
  }

  /// The explanation as JSON.
  package func jsonValue() -> JSONValue {
    .object([
      "pipeline": .object(["name": .string(name)]), "served": .bool(isServed), "queue": .array([]),
      "occasions": .array(occasions.map { $0.jsonValue() }),
      "sentences": .array(sentences.map { .string($0) }),
    ])
  }
}
