import PipelineEngine
import RunHistory
import Synchronization

/// Publishes the conditions of pipelines when they have changed: changes that happen together are written together, at most once a second.
final class ConditionPublisher: Sendable {
  private struct State {
    /// Pipelines with a new version.
    var begun: Set<String> = []
    /// Changes of values that are not written yet, in order.
    var turns: [PublishedSpecification] = []
    /// The current conditions, by pipeline and name.
    var latest: [String: [String: PublishedSpecification]] = [:]
    /// Pipelines whose conditions have changed since they were written.
    var changed: Set<String> = []
    /// The task that writes while something changes.
    var writing: Task<Void, Never>?
    var isClosed = false

    var isEmpty: Bool { begun.isEmpty && changed.isEmpty }
  }

  /// The maximum number of waiting changes, for a condition that changes all the time: no more changes of each condition are kept anyway.
  private static let mostTurns = 10_000

  private let host: RunHost
  private let state = Mutex(State())

  init(host: RunHost) {
    self.host = host
  }

  /// Notes that another version of the pipeline begins: the conditions of the former one no longer count.
  func begin(_ pipeline: String) {
    change { state in
      state.begun.insert(pipeline)
      state.latest[pipeline] = nil
    }
  }

  /// Notes that the pipeline is no longer served.
  func end(_ pipeline: String) {
    state.withLock { state in
      state.begun.remove(pipeline)
      state.changed.remove(pipeline)
      state.latest[pipeline] = nil
      state.turns.removeAll { $0.pipeline == pipeline }
    }
  }

  /// Sets the current state of a condition of the pipeline. Any thread.
  func note(_ condition: PipelineCondition, of pipeline: String) {
    let now = host.now()
    change { state in
      let former = state.latest[pipeline]?[condition.key.rawValue]
      var next = PublishedSpecification(
        pipeline: pipeline, name: condition.key.rawValue, formula: condition.formula, value: condition.value,
        reason: condition.reason, since: now)
      if let former, former.value == next.value {
        guard former.reason != next.reason else { return }
        next.since = former.since
      } else {
        state.turns.append(next)
        if state.turns.count > Self.mostTurns { state.turns.removeFirst(Self.mostTurns / 2) }
      }
      state.latest[pipeline, default: [:]][condition.key.rawValue] = next
      state.changed.insert(pipeline)
    }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      guard !state.isEmpty, state.writing == nil, !state.isClosed else { return }
      state.writing = Task { await self.write() }
    }
  }

  /// Writes the remaining changes, and nothing after them.
  func close() async {
    let writing = state.withLock { state in
      state.isClosed = true
      return state.writing
    }
    writing?.cancel()
    await writing?.value
    flush()
  }

  /// Writes until nothing changes any more.
  private func write() async {
    while true {
      // Changes that happen together are written together.
      try? await host.delay(for: .milliseconds(100))
      flush()
      guard (try? await host.delay(for: .milliseconds(900))) != nil else { return }
      let isDone = state.withLock { state in
        if state.isEmpty { state.writing = nil }
        return state.isEmpty
      }
      if isDone { return }
    }
  }

  /// Writes the changes. A failed write is retried with the next change.
  func flush() {
    let taken = state.withLock { state in
      defer { (state.begun, state.turns, state.changed) = ([], [], []) }
      return state
    }
    guard !taken.isEmpty else { return }
    let latest = taken.changed.union(taken.begun).flatMap { taken.latest[$0].map { Array($0.values) } ?? [] }
    do {
      try host.history.publish(turns: taken.turns, latest: latest, of: taken.begun)
    } catch {
      state.withLock { state in
        state.begun.formUnion(taken.begun)
        state.turns.insert(contentsOf: taken.turns, at: 0)
        state.changed.formUnion(taken.changed)
      }
    }
  }
}
