import Synchronization
import Values

@testable import PluginHost

/// Records an instance's events, and lets tests wait for them.
final class RecordedEvents: PluginInstanceEvents {
  enum Event: Hashable, Sendable {
    case ended(JSONValue?)
    case failed(String, String)
    case progressed(JSONValue)
    case yielded(PluginSignal)
    case changed(Bool?, String)
    case interrupted(String, pause: Duration)
    case resumed
    case logged(PluginLogLevel, String, JSONValue?)
  }

  private struct State {
    var events: [Event] = []
    var failures: [PluginFailure] = []
    var telling = 0
    var overlaps = 0
    var waiting: [(condition: @Sendable ([Event]) -> Bool, continuation: CheckedContinuation<[Event], Never>)] = []
  }

  private let state = Mutex(State())
  private let onEvent: @Sendable (Event) -> Void

  /// Whether a controller's signals wait until the test reports them as taken.
  let keepsSignals: Bool

  init(keepsSignals: Bool = false, _ onEvent: @escaping @Sendable (Event) -> Void = { _ in }) {
    self.keepsSignals = keepsSignals
    self.onEvent = onEvent
  }

  var all: [Event] { state.withLock { $0.events } }
  var failures: [PluginFailure] { state.withLock { $0.failures } }
  /// How often an event was reported during another one.
  var overlaps: Int { state.withLock { $0.overlaps } }

  var ends: [Event] {
    all.filter { if case .ended = $0 { true } else if case .failed = $0 { true } else { false } }
  }

  /// The code of the failure with which it ended.
  var failure: String? {
    for case .failed(let code, _) in all { return code }
    return nil
  }

  /// Returns once `condition` is true for the events so far.
  @discardableResult
  func wait(for condition: @escaping @Sendable ([Event]) -> Bool) async -> [Event] {
    await withCheckedContinuation { continuation in
      let events: [Event]? = state.withLock { state in
        if condition(state.events) { return state.events }
        state.waiting.append((condition, continuation))
        return nil
      }
      if let events { continuation.resume(returning: events) }
    }
  }

  func waitForEnd() async -> Event? {
    await wait { events in
      events.contains { if case .ended = $0 { true } else if case .failed = $0 { true } else { false } }
    }
    return ends.first
  }

  private func note(_ event: Event) {
    state.withLock { state in
      state.telling += 1
      if state.telling > 1 { state.overlaps += 1 }
    }
    onEvent(event)
    let (ready, events) = state.withLock { state in
      state.telling -= 1
      state.events.append(event)
      let ready = state.waiting.filter { $0.condition(state.events) }.map(\.continuation)
      let events = state.events
      state.waiting.removeAll { $0.condition(events) }
      return (ready, events)
    }
    for continuation in ready { continuation.resume(returning: events) }
  }

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) {
    switch outcome {
    case .success(let value): note(.ended(value))
    case .failure(let failure):
      state.withLock { $0.failures.append(failure) }
      note(.failed(failure.code, failure.message))
    }
  }

  func progressed(_ progress: JSONValue) { note(.progressed(progress)) }
  func yielded(_ signal: PluginSignal) { note(.yielded(signal)) }
  func changed(_ isSatisfied: Bool?, reason: String) { note(.changed(isSatisfied, reason)) }
  func interrupted(by failure: PluginFailure, pause: Duration) { note(.interrupted(failure.message, pause: pause)) }
  func resumed() { note(.resumed) }
  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {
    note(.logged(level, message, fields))
  }
}

/// Records the lines that a host logs.
final class RecordedLog: Sendable {
  private struct State {
    var lines: [String] = []
    var waiting: [(condition: @Sendable ([String]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var lines: [String] { state.withLock { $0.lines } }

  func note(_ level: PluginLogLevel, _ plugin: String, _ message: String) {
    let ready = state.withLock { state in
      state.lines.append("\(level) \(plugin): \(message)")
      let lines = state.lines
      let ready = state.waiting.filter { $0.condition(lines) }.map(\.continuation)
      state.waiting.removeAll { $0.condition(lines) }
      return ready
    }
    for continuation in ready { continuation.resume() }
  }

  /// Returns once a line contains `text`.
  func wait(for text: String) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.lines.contains(where: { $0.contains(text) }) { return true }
        state.waiting.append(({ $0.contains { $0.contains(text) } }, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
