import CPluginKit
import PluginKit
import Synchronization

/// One instance in a ``TestPluginHost``.
public final class TestInstance: Sendable {
  private struct State: @unchecked Sendable {
    // @unchecked: the pointer belongs to the plugin and is only passed back to it.

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

  /// Whether the host refuses the states and reruns that the instance yields, as if the pipeline could not keep up: they are answered with
  /// `Delivery.full`, and are not among ``events``. False at first.
  public var isFull: Bool {
    get { state.withLock { $0.isFull } }
    set { state.withLock { $0.isFull = newValue } }
  }

  /// The events reported so far.
  public var events: [TestEvent] { state.withLock { $0.events } }

  /// Starts it. At most once.
  public func start(_ input: JSONValue = [:]) {
    guard let pointer = state.withLock({ $0.pointer.map { Pointer(value: $0) } }) else { return }
    withText(input) { functions?.start(pointer.value, $0) }
  }

  /// Returns the instants in an interval, in the contract's format: see `PredictableController`.
  ///
  /// - Parameters:
  ///   - after: The exclusive lower bound.
  ///   - until: The inclusive upper bound.
  ///   - limit: The maximum number; the earliest ones count.
  ///   - input: The input that ``start(_:)`` would receive.
  /// - Returns: The answer; nil if it cannot be known.
  /// - Throws: `PluginProblem` with the code `test-host` if the plugin's answer is invalid.
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
      throw PluginProblem("test-host", "it answered \(taken.texts.count) times with the status \(status)")
    }
    return try JSONValue.parse(taken.texts[0])
  }

  /// Asks it to end. At most once.
  public func stop(within grace: Duration = .seconds(10)) {
    guard let pointer = state.withLock({ $0.pointer.map { Pointer(value: $0) } }) else { return }
    functions?.stop(pointer.value, UInt64(max(0, grace / .nanoseconds(1))))
  }

  /// Destroys it: later events are ignored.
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

  /// Returns the events once there are at least `count`, or the task is cancelled.
  public func events(_ count: Int) async -> [TestEvent] {
    await host.waiters.wait { [self] in events.count >= count }
    return events
  }

  /// Returns when the last event is `event`, or the task is cancelled.
  ///
  /// For a specification that determines its value on another thread: whether the host is first notified that the value is unknown depends on
  /// timing, so a test that counts events might wait for one that never comes.
  public func tells(_ event: TestEvent) async {
    _ = await events(until: { $0 == event })
  }

  /// Returns the events once the last one satisfies `condition`, or the task is cancelled.
  public func events(until condition: @escaping @Sendable (TestEvent) -> Bool) async -> [TestEvent] {
    await host.waiters.wait { [self] in events.last.map(condition) ?? false }
    return events
  }

  /// Waits for the end and returns the result, or nil if it has none. Throws the `PluginProblem` that it failed with, or `CancellationError` if the
  /// task is cancelled first.
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

/// A pointer that is passed on without being dereferenced.
private struct Pointer: @unchecked Sendable {
  // @unchecked: it belongs to the plugin and is only passed back to it.

  let value: UnsafeMutableRawPointer
}

/// The texts that a plugin gives within a call of its host.
private final class TakenText {
  var texts: [String] = []
}
