import Operations
import OrderedCollections
import Synchronization
import Values

extension PluginFailure: RetryHinting {}

/// A plugin's operation. Each run creates its own instance.
///
/// Cancelling the task asks the instance to end within ``grace``; the run throws `CancellationError` once the instance has ended or the time is up.
/// Failures of the plugin are thrown as ``PluginFailure``; their `retry_after` is a hint for `.retry`.
public struct PluginOperation: OperationRequest {
  /// The plugin's result; null if it has none.
  public typealias Value = JSONValue
  /// ``PluginFailure``, or `CancellationError`.
  public typealias Failure = any Error

  /// The place of an operation, as information for the plugin.
  public struct Place: Sendable, Hashable {
    /// The operation's name.
    public var operation: String?
    /// The run's id.
    public var run: String?
    /// The pipeline's name.
    public var pipeline: String?
    /// The absolute path that relative paths in settings start from. Nil is the working directory of the process.
    public var directory: String?

    /// Creates a place from the parts that are known.
    public init(operation: String? = nil, run: String? = nil, pipeline: String? = nil, directory: String? = nil) {
      self.operation = operation
      self.run = run
      self.pipeline = pipeline
      self.directory = directory
    }
  }

  /// The plugin.
  public let plugin: Plugin
  /// The offer that is run.
  public let offer: PluginOffer
  /// The settings, checked, with defaults filled in.
  public let settings: JSONValue
  /// The injected value; nil for none.
  public var requirement: JSONValue?
  /// The operation's place; empty by default.
  public var place = Place()
  /// What the instances may access; nothing by default.
  public var access = PluginAccess.none
  /// How long an instance may take to end when the run is cancelled; 10 s by default.
  public var grace = Duration.seconds(10)
  /// Called with the progress of a run: `{"fraction": 0.25, "message": "…"}`. On any thread, in order.
  public var onProgress: (@Sendable (JSONValue) -> Void)?
  /// Called with the lines that a run logs. On any thread, in order.
  public var onLog: (@Sendable (PluginLogLevel, _ message: String, _ fields: JSONValue?) -> Void)?

  init(_ plugin: Plugin, _ offer: PluginOffer, settings: JSONValue, requirement: JSONValue?) {
    self.plugin = plugin
    self.offer = offer
    self.settings = settings
    self.requirement = requirement
  }

  /// Runs an instance of the operation.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on.
  ///   - context: Supplies the number of the attempt.
  ///   - continuation: Unused: a plugin has one result.
  /// - Returns: The result.
  /// - Throws: ``PluginFailure``, or `CancellationError` if the task was cancelled before the instance ended.
  public func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<JSONValue, any Error>
  ) async throws -> JSONValue {
    let events = PluginOperationRun(onProgress: onProgress, onLog: onLog)
    let instance = plugin.create(offer, settings: settings, access: access, events: events)
    defer { instance.destroy() }
    // The closures capture these two rather than the whole operation, whose strings would each be retained.
    let input = input(in: context)
    let grace = grace
    let outcome = await withTaskCancellationHandler {
      if !Task.isCancelled { instance.start(input) }
      // Many instances have ended by now.
      if let outcome = events.take() { return outcome }
      // The state of `events` ensures a single resume; a checked continuation would take a tenth of the run's time.
      return await withUnsafeContinuation { events.wait($0) }
    } onCancel: {
      instance.stop(grace: grace)
    }
    if Task.isCancelled { throw CancellationError() }
    return try outcome.get() ?? .null
  }

  private func input(in context: OperationContext) -> JSONValue {
    var names: [String] = []
    var values: [JSONValue] = []
    names.reserveCapacity(6)
    values.reserveCapacity(6)
    func add(_ name: String, _ value: JSONValue) {
      names.append(name)
      values.append(value)
    }
    if let requirement { add("requirement", requirement) }
    add("attempt", .int(Int64((context.operationRetryIndex ?? -1) + 2)))
    if let operation = place.operation { add("operation", .string(operation)) }
    if let run = place.run { add("run", .string(run)) }
    if let pipeline = place.pipeline { add("pipeline", .string(pipeline)) }
    if let directory = place.directory { add("directory", .string(directory)) }
    return .object(OrderedDictionary(uncheckedUniqueKeys: names, values: values))
  }
}

/// Receives the events of one operation's instance, and resumes the waiter when it ends.
private final class PluginOperationRun: PluginInstanceEvents {
  typealias Outcome = Result<JSONValue?, PluginFailure>

  private enum State {
    case running
    case waited(UnsafeContinuation<Outcome, Never>)
    case ended(Outcome)
    case told
  }

  private let state = Mutex(State.running)
  private let onProgress: (@Sendable (JSONValue) -> Void)?
  private let onLog: (@Sendable (PluginLogLevel, String, JSONValue?) -> Void)?

  init(
    onProgress: (@Sendable (JSONValue) -> Void)?, onLog: (@Sendable (PluginLogLevel, String, JSONValue?) -> Void)?
  ) {
    self.onProgress = onProgress
    self.onLog = onLog
  }

  /// Returns the outcome if the instance has ended, in which case there is no wait.
  func take() -> Outcome? {
    state.withLock { state in
      guard case .ended(let outcome) = state else { return nil }
      state = .told
      return outcome
    }
  }

  func wait(_ continuation: UnsafeContinuation<Outcome, Never>) {
    let outcome: Outcome? = state.withLock { state in
      if case .ended(let outcome) = state { return outcome }
      state = .waited(continuation)
      return nil
    }
    if let outcome { continuation.resume(returning: outcome) }
  }

  func ended(_ outcome: Outcome) {
    let continuation: UnsafeContinuation<Outcome, Never>? = state.withLock { state in
      if case .waited(let continuation) = state {
        state = .told
        return continuation
      }
      state = .ended(outcome)
      return nil
    }
    continuation?.resume(returning: outcome)
  }

  func progressed(_ progress: JSONValue) { onProgress?(progress) }
  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) { onLog?(level, message, fields) }

  // Neither applies to operations.
  func yielded(_ signal: PluginSignal) {}
  func changed(_ isSatisfied: Bool?, reason: String) {}
}

extension Plugin {
  /// Returns an operation.
  ///
  /// - Parameters:
  ///   - id: The id of the offer; nil for the plugin's own.
  ///   - settings: An object with the settings; missing ones get their defaults.
  ///   - requirement: The injected value; nil for none.
  /// - Returns: The operation, which can be run any number of times.
  /// - Throws: `no-such-offer` and `plugin-settings`.
  public func operation(
    _ id: String? = nil, settings: JSONValue = [:], requirement: JSONValue? = nil
  ) throws(PluginError) -> PluginOperation {
    let (offer, settings) = try resolve(id ?? self.id, .operation, settings)
    return PluginOperation(self, offer, settings: settings, requirement: requirement)
  }
}
