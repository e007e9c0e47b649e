import PipelineEngine
import RunHistory
import Synchronization

/// Publishes what keeps controllers from their work, when that has changed: together what changes together, and at most once a second.
final class ControllerPublisher: Sendable {
  private struct State {
    /// What there is now, by pipeline and position.
    var troubles: [String: [Int: ControllerTrouble]] = [:]
    /// Pipelines of which it is another one than was written.
    var changed: Set<String> = []
    /// What writes, as long as something changes.
    var writing: Task<Void, Never>?
    var isClosed = false
  }

  private let host: RunHost
  private let state = Mutex(State())

  init(host: RunHost) { self.host = host }

  /// Forgets what former hosts have published.
  func open() throws {
    try host.history.publish(controllerProblems: [], of: nil)
  }

  /// Other controllers begin, or none: those before them count no longer.
  func begin(_ pipeline: String) {
    change { state in
      guard state.troubles.removeValue(forKey: pipeline) != nil else { return }
      state.changed.insert(pipeline)
    }
  }

  /// This keeps a controller of the pipeline from its work, or nothing does. Any thread.
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

  /// Writes nothing more. Nobody's controllers fail without a host.
  func close() async {
    let writing = state.withLock { state in
      state.isClosed = true
      return state.writing
    }
    writing?.cancel()
    await writing?.value
    try? open()
  }

  /// Writes until nothing has changed any more.
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

  /// Writes what has changed. What cannot be written now is tried again.
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
