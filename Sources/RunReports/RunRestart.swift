import PipelineLanguage
import RunHistory
import Values

/// Why a run is interrupted, and what becomes of it without anybody doing something.
package struct RunRestart: Sendable, Hashable {
  /// What the next host of the workspace does with it; nil where nobody but a person does anything.
  package enum Prospect: Sendable, Hashable {
    case resume, fail
  }

  /// Whether its host has drained, or drains, and left it to the next one.
  package let isLeft: Bool
  package let prospect: Prospect?
  /// What it waits for, where a host is about to resume it.
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
    // A host that is ready has already done what it does.
    guard let latest, latest.state != .ready, try history.interruptedRuns().contains(where: { $0.id == run.id }) else {
      prospect = nil
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

  /// How many of the latest hosts are looked at for that of the run.
  private static let lookedAt = 20

  /// What a host does about it, or the next one; nil where none does anything.
  var next: String? {
    if let preparation { return "it is being resumed: it \(preparation.words)" }
    return switch prospect {
    case .resume?: "the next host of the workspace resumes it"
    case .fail?: "the next host of the workspace records it as failed, as `on_restart` says"
    case nil: nil
    }
  }

  /// Whether a person has to do something for it to go on.
  package var wantsResume: Bool { prospect != .resume && preparation == nil }
}

extension History {
  /// What the definition that a run began with says of restarts, whatever has become of its file since; nil where it says nothing.
  ///
  /// - Throws: `WorkspaceError`.
  package func restartPolicy(of run: RunID) throws -> RestartPolicy? {
    RecordedKey.value(.onRestart, in: try definition(of: run) ?? "").flatMap(RestartPolicy.init)
  }

  /// The queue that the definition names which a run began with; nil where it names none.
  ///
  /// - Throws: `WorkspaceError`.
  package func recordedQueue(of run: RunID) throws -> String? {
    RecordedKey.value(.queue, in: try definition(of: run) ?? "")
  }
}
