import Operations
import OrderedCollections
import Synchronization
import Values

extension PluginFailure: RetryHinting {}

/// An operation of a plugin. Each run is an instance of its own.
///
/// Cancelling the task asks the instance to end within ``grace``; the run then throws `CancellationError`, when the instance has ended or
/// the time is over. What the plugin fails with is thrown as ``PluginFailure``, and its `retry_after` is a hint for `.retry`.
public struct PluginOperation: OperationRequest {
  /// What the plugin gives; null where it has no result.
  public typealias Value = JSONValue
  /// ``PluginFailure``, or `CancellationError`.
  public typealias Failure = any Error

  /// Where an operation stands, for the plugin's information.
  public struct Place: Sendable, Hashable {
    /// The operation's name.
    public var operation: String?
    /// The run's id.
    public var run: String?
    /// The pipeline's name.
    public var pipeline: String?
    /// From where relative paths in settings start: an absolute path. Nil is the working directory of the process.
    public var directory: String?

    /// A place of which this is known.
    public init(operation: String? = nil, run: String? = nil, pipeline: String? = nil, directory: String? = nil) {
      self.operation = operation
      self.run = run
      self.pipeline = pipeline
      self.directory = directory
    }
  }

  /// The plugin.
  public let plugin: Plugin
  /// What of it is run.
  public let offer: PluginOffer
  /// The settings, checked and with defaults.
  public let settings: JSONValue
  /// What is injected; nil for nothing.
  public var requirement: JSONValue?
  /// Where the operation stands; nothing by default.
  public var place = Place()
  /// What the instances may reach; nothing by default.
  public var access = PluginAccess.none
  /// How long an instance may take to end when the run is cancelled: 10 s by default.
  public var grace = Duration.seconds(10)
  /// Told how far a run is: `{"fraction": 0.25, "message": "…"}`. On any thread, in order.
  public var onProgress: (@Sendable (JSONValue) -> Void)?
  /// Told of the lines that a run logs. On any thread, in order.
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
  ///   - context: Says which attempt it is.
  ///   - continuation: Gets nothing: plugins have one result.
  /// - Returns: The result.
  /// - Throws: ``PluginFailure``, or `CancellationError` where the task was cancelled before the end.
  public func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<JSONValue, any Error>
  ) async throws -> JSONValue {
    let events = PluginOperationRun(onProgress: onProgress, onLog: onLog)
    let instance = plugin.create(offer, settings: settings, access: access, events: events)
    defer { instance.destroy() }
    // What the handlers need, by itself: they would copy the whole operation, each of its strings counted.
    let input = input(in: context)
    let grace = grace
    let outcome = await withTaskCancellationHandler {
      if !Task.isCancelled { instance.start(input) }
      // Many have ended by then.
      if let outcome = events.take() { return outcome }
      // The state of `events` lets it be resumed once; checking that once more takes a tenth of the run.
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

/// Hears what one instance of an operation does, and wakes who waits for its end.
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

  /// How it ended, where it has: then nobody waits.
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

  // Neither is for operations.
  func yielded(_ signal: PluginSignal) {}
  func changed(_ isSatisfied: Bool?, reason: String) {}
}

extension Plugin {
  /// An operation.
  ///
  /// - Parameters:
  ///   - id: The id of the offer; nil is the plugin's own.
  ///   - settings: An object with the settings; defaults are filled in.
  ///   - requirement: What is injected; nil for nothing.
  /// - Returns: The operation, which can be run any number of times.
  /// - Throws: `no-such-offer` and `plugin-settings`.
  public func operation(
    _ id: String? = nil, settings: JSONValue = [:], requirement: JSONValue? = nil
  ) throws(PluginError) -> PluginOperation {
    let (offer, settings) = try resolve(id ?? self.id, .operation, settings)
    return PluginOperation(self, offer, settings: settings, requirement: requirement)
  }
}
