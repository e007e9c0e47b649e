import Values

/// A loaded plugin, wherever it runs: in this process or in a child host. The semantics are the same for both.
///
/// Calls may be made on any thread, and return at once.
package protocol PluginConnection: AnyObject, Sendable {
  var description: PluginDescription { get }

  /// Creates an instance.
  ///
  /// If the plugin rejects the settings or cannot be reached, the instance ends with the reason, possibly before this returns: an instance of a
  /// busy plugin or in a child host is created later.
  ///
  /// - Parameters:
  ///   - offer: One of the plugin's offers.
  ///   - settings: An object with checked settings, including defaults: see ``PluginOffer/resolve(settings:)``.
  ///   - access: What the instance may access through the host's services.
  ///   - events: Receives the instance's events until its end, on any thread, one at a time and in order.
  /// - Returns: The instance, which lives until it is destroyed.
  func create(
    _ offer: PluginOffer, settings: JSONValue, access: PluginAccess, events: any PluginInstanceEvents
  ) -> any PluginInstance

  /// Creates an instance and destroys it at once, without starting it, to find out whether the plugin accepts the settings.
  ///
  /// If it does, the instance ends successfully, without a value; otherwise it ends with the failure that the plugin reported or that happened to
  /// it. It can access nothing outside itself. It must be destroyed like any other.
  ///
  /// With a `question`, the instance is asked before it is destroyed and ends with its answer, or without a value if it has none. See ``PlannedInstants``.
  func trial(
    _ offer: PluginOffer, settings: JSONValue, question: InstantsQuestion?, events: any PluginInstanceEvents
  ) -> any PluginInstance

  /// The clock that measures durations.
  var clock: any PluginClock { get }

  /// Accepts no new instances, and closes the plugin when the last one is destroyed.
  func retire()

  /// Ends all instances and closes the plugin. Instances that have not ended do so with `plugin-closed`.
  func close() async
}

/// One instance: an attempt of an operation, a controller or a specification.
package protocol PluginInstance: AnyObject, Sendable {
  /// Starts it. At most once. Does nothing if the instance has ended or was destroyed.
  func start(_ input: JSONValue)

  /// Asks it to end; after `grace`, it is ended without the plugin's help, with the failure `plugin-unresponsive`, and destroyed. At most once. An
  /// instance that was never started ends at once, successfully and without a value.
  func stop(grace: Duration)

  /// Releases it, whether or not it has ended; no event follows once this has returned, except one that is being reported at the time. May be
  /// called more than once. Must be called for every instance, including one that has ended.
  func destroy()

  /// Notes that this many of the states and reruns that it has yielded, and that its owner has kept, are taken; each left-out instant counts: see
  /// ``PluginInstanceEvents/keepsSignals``.
  func settled(_ number: Int)

  /// How long it has waited since `start` for its process: an instance that has not begun cannot be late.
  var timeWaited: Duration { get }

  /// Returns when it no longer waits for its process: it has begun, or has ended.
  func begun() async
}

extension PluginInstance {
  // For owners that keep no signals.
  package func settled(_ number: Int) {}

  // An instance in this process begins at once.
  package var timeWaited: Duration { .zero }
  package func begun() async {}
}

/// The receiver of an instance's events. Every function may be called on any thread; those of one instance are called one at a time.
package protocol PluginInstanceEvents: AnyObject, Sendable {
  /// The instance ended; no event follows. The value is an operation's parsed result; nil if there is none.
  func ended(_ outcome: Result<JSONValue?, PluginFailure>)
  func progressed(_ progress: JSONValue)
  func yielded(_ signal: PluginSignal)
  /// A specification has this value from now on; nil is unknown.
  func changed(_ isSatisfied: Bool?, reason: String)
  /// A controller's process has ended, or none could be started: the controller starts again in another one after `pause`.
  func interrupted(by failure: PluginFailure, pause: Duration)
  /// The controller has started again.
  func resumed()
  /// A line for the log.
  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?)
  /// Whether states and reruns wait until ``PluginInstance/settled(_:)`` reports them as taken; plugin.h limits their number.
  var keepsSignals: Bool { get }
  /// Returns when another signal would be kept, or the task is cancelled. For callers that can wait: signals of a plugin's own code are reported at once.
  func room() async
}

extension PluginInstanceEvents {
  package func interrupted(by failure: PluginFailure, pause: Duration) {
    logged(.error, failure.message(startingAgainIn: pause), nil)
  }

  package func resumed() {}
  package var keepsSignals: Bool { false }
  package func room() async {}
}

/// A signal that a controller yields.
public enum PluginSignal: Sendable, Hashable {
  case state(JSONValue)
  case error(PluginFailure)
  case rerun(JSONValue)
  case reset
  /// Instants for which it will not request a run: see `PluginLeftOut`.
  case leftOut(JSONValue)
}

/// The severity of a line that a plugin logs.
public enum PluginLogLevel: Int32, Sendable, Hashable {
  case debug, info, warning, error
}

/// What an instance may access outside itself, through the host's services.
public struct PluginAccess: Sendable {
  /// Returns the secret of that name, if the pipeline file lists it for the plugin. May be called on any thread, but not while holding a lock.
  public typealias Secrets = @Sendable (_ name: String) async throws(PluginAccessError) -> String

  /// Returns the pipeline's secrets; nil if there are none.
  public let secrets: Secrets?
  /// The plugin's own durable values.
  public let storage: (any PluginStorage)?

  /// Creates access to what is given, and nothing else.
  public init(secrets: Secrets? = nil, storage: (any PluginStorage)? = nil) {
    self.secrets = secrets
    self.storage = storage
  }

  /// Access to nothing.
  public static let none = PluginAccess()
}

/// The reason why a service does not provide what was requested.
public enum PluginAccessError: Error, Sendable, Hashable {
  case denied
  case unknown
  case unavailable
}

/// Durable keys and JSON values of one plugin.
public protocol PluginStorage: Sendable {
  func value(of key: String) async throws(PluginAccessError) -> JSONValue
  /// Sets the value, or removes it if it is nil; returns when the change is durable.
  func set(_ value: JSONValue?, for key: String) async throws(PluginAccessError)
  func keys(beginningWith prefix: String) async throws(PluginAccessError) -> [String]
}
