import CPluginKit
import PluginKit
import Synchronization

/// One instance in a ``TestPluginHost``.
public final class TestInstance: Sendable {
  private struct State: @unchecked Sendable {
    // @unchecked: the pointer is the plugin's own, and only handed back to it.

    var pointer: UnsafeMutableRawPointer?
    var events: [TestEvent] = []
    var hasEnded = false
    var isFull = false
  }

  private let host: TestPluginHost
  private let id: penstock_id
  private let functions: penstock_functions?
  private let state = Mutex(State())

  init(host: TestPluginHost, id: penstock_id, functions: penstock_functions?) {
    self.host = host
    self.id = id
    self.functions = functions
  }

  deinit { destroy() }

  func made(_ pointer: UnsafeMutableRawPointer) { state.withLock { $0.pointer = UnsafeMutableRawPointer(pointer) } }

  func take(_ event: TestEvent) -> Bool {
    state.withLock { state in
      guard !state.hasEnded else { return false }
      state.hasEnded = event.isEnd
      state.events.append(event)
      return true
    }
  }

  /// Whether the host keeps none of the states and reruns that it tells, as where the pipeline cannot keep up: they are answered with
  /// ``Delivery/full``, and are not among ``events``. False at first.
  public var isFull: Bool {
    get { state.withLock { $0.isFull } }
    set { state.withLock { $0.isFull = newValue } }
  }

  /// What it has told so far.
  public var events: [TestEvent] { state.withLock { $0.events } }

  /// Sets it going. At most once.
  public func start(_ input: JSONValue = [:]) {
    guard let pointer = state.withLock({ $0.pointer.map { Pointer(value: $0) } }) else { return }
    withText(input) { functions?.start(pointer.value, $0) }
  }

  /// What comes after one instant and not after another, as the contract has it: see `PredictableController`.
  ///
  /// - Parameters:
  ///   - after: Those after it.
  ///   - until: Those not after it.
  ///   - limit: The earliest so many.
  ///   - input: What ``start(_:)`` would be given.
  /// - Returns: The answer; nil where nobody can know it.
  /// - Throws: `PluginProblem` with the code `test-host`, where the plugin did not answer as it must.
  public func instants(
    after: Timestamp, until: Timestamp, limit: Int = 1000, input: JSONValue = [:]
  ) throws -> JSONValue? {
    guard let pointer = state.withLock({ $0.pointer.map { Pointer(value: $0) } }),
      let between = host.functions.instants()?.between
    else { return nil }
    let taken = TakenText()
    let status = withText(input) { input in
      between(
        pointer.value, input, Int64(after.seconds) * 1_000_000_000 + Int64(after.nanoseconds),
        Int64(until.seconds) * 1_000_000_000 + Int64(until.nanoseconds), UInt32(clamping: limit),
        { context, text in
          guard let context else { return }
          Unmanaged<TakenText>.fromOpaque(context).takeUnretainedValue().texts.append(text.string)
        }, Unmanaged.passUnretained(taken).toOpaque())
    }
    if status == penstock_status(PENSTOCK_UNAVAILABLE) { return nil }
    guard status == penstock_status(PENSTOCK_OK), taken.texts.count == 1 else {
      throw PluginProblem("test-host", "it answered \(taken.texts.count) times, with the status \(status)")
    }
    return try JSONValue.parse(taken.texts[0])
  }

  /// Asks it to end. At most once.
  public func stop(within grace: Duration = .seconds(10)) {
    guard let pointer = state.withLock({ $0.pointer.map { Pointer(value: $0) } }) else { return }
    functions?.stop(pointer.value, UInt64(max(0, grace / .nanoseconds(1))))
  }

  /// Frees it: what it tells afterwards is not heard.
  public func destroy() {
    let pointer = state.withLock { state in
      defer { state.pointer = nil }
      return state.pointer.map { Pointer(value: $0) }
    }
    guard let pointer else { return }
    host.forget(id)
    host.clock.cancelAll(of: id)
    functions?.destroy(pointer.value)
  }

  /// Returns what it has told when that are at least `count` events, or when the task is cancelled.
  public func events(_ count: Int) async -> [TestEvent] {
    await host.waiters.wait { [self] in events.count >= count }
    return events
  }

  /// Returns when `event` is what it told last, or when the task is cancelled.
  ///
  /// For a specification that comes to know its value on another thread: whether the host hears that it is unknown before that is a matter
  /// of luck, so that a test which counts events may wait for one that never comes.
  public func tells(_ event: TestEvent) async {
    _ = await events(until: { $0 == event })
  }

  /// Returns what it has told when the last event satisfies `condition`, or when the task is cancelled.
  public func events(until condition: @escaping @Sendable (TestEvent) -> Bool) async -> [TestEvent] {
    await host.waiters.wait { [self] in events.last.map(condition) ?? false }
    return events
  }

  /// Returns when it has ended: its result, or nil where it has none. Throws the `PluginProblem` that it failed with, and
  /// `CancellationError` when the task is cancelled first.
  @discardableResult
  public func end() async throws -> JSONValue? {
    await host.waiters.wait { [self] in state.withLock { $0.hasEnded } }
    switch events.last {
    case .completed(let result): return result
    case .failed(let problem): throw problem
    default: throw CancellationError()
    }
  }
}

/// A pointer that is handed on without being looked at.
private struct Pointer: @unchecked Sendable {
  // @unchecked: the plugin's own, and only handed back to it.

  let value: UnsafeMutableRawPointer
}

/// What a plugin gives within a call of its host's.
private final class TakenText {
  var texts: [String] = []
}
