import PipelineEngine
import RunHistory
import Synchronization

/// Publishes the failures of controllers when they have changed: changes that happen together are written together, at most once a second.
final class ControllerPublisher: Sendable {
  private struct State {
    /// The current failures, by pipeline and position.
    var troubles: [String: [Int: ControllerTrouble]] = [:]
    /// Pipelines whose failures differ from what was written.
    var changed: Set<String> = []
    /// The task that writes while something changes.
    var writing: Task<Void, Never>?
    var isClosed = false
  }

  private let host: RunHost
  private let state = Mutex(State())

  init(host: RunHost) { self.host = host }

  /// Deletes what former hosts published.
  func open() throws {
    try host.history.publish(controllerProblems: [], of: nil)
  }

  /// Replaces the controllers of a pipeline by others, or none: the failures of former ones no longer count.
  func begin(_ pipeline: String) {
    change { state in
      guard state.troubles.removeValue(forKey: pipeline) != nil else { return }
      state.changed.insert(pipeline)
    }
  }

  /// Sets why a controller of the pipeline fails; nil if it works. Any thread.
  func note(_ trouble: ControllerTrouble?, _ position: Int, of pipeline: String) {
    change { state in
      state.troubles[pipeline, default: [:]][position] = trouble
      if state.troubles[pipeline]?.isEmpty == true { state.troubles[pipeline] = nil }
      state.changed.insert(pipeline)
    }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      guard !state.changed.isEmpty, state.writing == nil, !state.isClosed else { return }
      state.writing = Task { await self.write() }
    }
  }

  /// Stops writing. Without a host, no controller fails.
  func close() async {
    let writing = state.withLock { state in
      state.isClosed = true
      return state.writing
    }
    writing?.cancel()
    await writing?.value
    try? open()
  }

  /// Writes until nothing changes any more.
  private func write() async {
    while true {
      flush()
      guard (try? await host.delay(for: .seconds(1))) != nil else { return }
      let isDone = state.withLock { state in
        if state.changed.isEmpty { state.writing = nil }
        return state.changed.isEmpty
      }
      if isDone { return }
    }
  }

  /// Writes the changes. A failed write is retried.
  private func flush() {
    let (changed, troubles) = state.withLock { state in
      defer { state.changed = [] }
      return (state.changed, state.troubles)
    }
    let problems = changed.sorted().flatMap { name in
      (troubles[name] ?? [:]).sorted { $0.key < $1.key }.map { position, trouble in
        PublishedControllerProblem(
          pipeline: name, position: position, controller: trouble.controller, reason: trouble.reason,
          since: trouble.since, isOver: trouble.isOver)
      }
    }
    do {
      try host.history.publish(controllerProblems: problems, of: changed)
    } catch {
      state.withLock { $0.changed.formUnion(changed) }
    }
  }
}
