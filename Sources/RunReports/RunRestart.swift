import PipelineLanguage
import RunHistory
import Values

/// The reason why a run is interrupted, and what happens to it without intervention.
package struct RunRestart: Sendable, Hashable {
  /// What the next host of the workspace does with it; nil if it is left to a person.
  package enum Prospect: Sendable, Hashable {
    case resume, fail
    /// A person has asked for that.
    case cancel
  }

  /// Whether its host has drained, or is draining, and left it to the next one.
  package let isLeft: Bool
  package let prospect: Prospect?
  /// What it waits for, if a host is about to resume it.
  package let preparation: RunPreparation?

  /// - Parameters:
  ///   - run: An interrupted run.
  ///   - history: The history.
  /// - Throws: `WorkspaceError`.
  package init(of run: RunRecord, in history: History) throws {
    let hosts = try history.hosts(limit: Self.lookedAt)
    let latest = hosts.first
    let own = hosts.first { $0.owner == run.owner }
    preparation = try history.resumption(of: run.id)
    isLeft = own.map { $0.state == .draining || $0.state == .stopped } ?? false
    // A host that is ready has already dealt with interrupted runs.
    guard let latest, latest.state != .ready, try history.interruptedRuns().contains(where: { $0.id == run.id }) else {
      prospect = nil
      return
    }
    guard try !history.isToBeCancelled(run.id) else {
      prospect = .cancel
      return
    }
    let configuration = try? JSONValue.parse(latest.configuration)
    let otherwise = configuration?["on_restart"]?.stringValue.flatMap(RestartPolicy.init) ?? .resume
    prospect =
      switch try history.restartPolicy(of: run.id) ?? otherwise {
      case .resume: .resume
      case .fail: .fail
      case .leave: nil
      }
  }

  /// How many of the latest hosts are searched for that of the run.
  private static let lookedAt = 20

  /// What the current or the next host does with it; nil if none does anything.
  var next: String? {
    if let preparation { return "it is being resumed: it \(preparation.words)" }
    return switch prospect {
    case .resume?: "the next host of the workspace resumes it"
    case .fail?: "the next host of the workspace records it as failed, because of `on_restart`"
    case .cancel?: "the next host of the workspace cancels it, as was asked"
    case nil: nil
    }
  }

  /// Whether a person must resume it.
  package var wantsResume: Bool { prospect != .resume && prospect != .cancel && preparation == nil }
}

extension History {
  /// Returns the restart policy in the definition that a run began with, regardless of its current file; nil if it has none.
  ///
  /// - Throws: `WorkspaceError`.
  package func restartPolicy(of run: RunID) throws -> RestartPolicy? {
    RecordedKey.value(.onRestart, in: try definition(of: run) ?? "").flatMap(RestartPolicy.init)
  }

  /// Returns the queue named in the definition that a run began with; nil if it names none.
  ///
  /// - Throws: `WorkspaceError`.
  package func recordedQueue(of run: RunID) throws -> String? {
    RecordedKey.value(.queue, in: try definition(of: run) ?? "")
  }
}
