import Values

/// A loaded plugin, wherever it runs: in this process or in a child host. Both have the same semantics.
///
/// Calls may be made on any thread, and return at once.
package protocol PluginConnection: AnyObject, Sendable {
  var description: PluginDescription { get }

  /// Creates an instance.
  ///
  /// Where the plugin does not take the settings, or cannot be asked, the instance ends with the reason, perhaps before this
  /// returns: an instance behind a busy plugin or in a child host is created later.
  ///
  /// - Parameters:
  ///   - offer: One of the plugin's offers.
  ///   - settings: An object, checked and with defaults: see ``PluginOffer/resolve(settings:)``.
  ///   - access: What the instance may reach through the host's services.
  ///   - events: Is told of what the instance does until its end, on any thread, one event at a time and in order.
  /// - Returns: The instance, which is kept until it is destroyed.
  func create(
    _ offer: PluginOffer, settings: JSONValue, access: PluginAccess, events: any PluginInstanceEvents
  ) -> any PluginInstance

  /// Creates an instance and destroys it at once, without starting it: whether the plugin takes the settings.
  ///
  /// The instance ends well, without a value, where it does, and otherwise with what the plugin or its fate says. It can reach nothing
  /// beyond itself. It has to be destroyed like any other.
  ///
  /// With `question`, it is asked before it is destroyed, and ends with its answer; without a value where it has none. See ``PlannedInstants``.
  func trial(
    _ offer: PluginOffer, settings: JSONValue, question: InstantsQuestion?, events: any PluginInstanceEvents
  ) -> any PluginInstance

  /// Measures how long things take.
  var clock: any PluginClock { get }

  /// Takes no new instances, and lets go of the plugin when the last one is destroyed.
  func retire()

  /// Ends all instances and lets go of the plugin. Instances that have not ended do so with `plugin-closed`.
  func close() async
}

/// One instance: an attempt of an operation, a controller or a specification.
package protocol PluginInstance: AnyObject, Sendable {
  /// Sets it going. At most once. Does nothing when the instance has ended or was destroyed.
  func start(_ input: JSONValue)

  /// Asks it to end; after `grace` it is ended without its help, with the failure `plugin-unresponsive`, and destroyed. At
  /// most once. One that was never started ends at once, well and without a value.
  func stop(grace: Duration)

  /// Lets go of it, whether it has ended or not; no event follows once this has returned, except one that is being told at the time.
  /// May be called more than once. Has to be called for every instance, also for one that has ended.
  func destroy()

  /// So many of the states and reruns that it has told, and that its owner has kept, are taken; of instants that are left out, each counts: see ``PluginInstanceEvents/keepsSignals``.
  func settled(_ number: Int)

  /// How long it has waited, since it was started, for the process that it runs in: what has not begun cannot be late.
  var timeWaited: Duration { get }

  /// Returns once it does not wait for its process: it has begun, or has ended.
  func begun() async
}

extension PluginInstance {
  // For owners that keep nothing.
  package func settled(_ number: Int) {}

  // What runs in this process begins at once.
  package var timeWaited: Duration { .zero }
  package func begun() async {}
}

/// What an instance does. Every function may be called on any thread; those of one instance one after the other.
package protocol PluginInstanceEvents: AnyObject, Sendable {
  /// It ended; nothing follows. The value is an operation's result, parsed; nil where there is none.
  func ended(_ outcome: Result<JSONValue?, PluginFailure>)
  func progressed(_ progress: JSONValue)
  func yielded(_ signal: PluginSignal)
  /// A specification has a value from now on; nil is unknown.
  func changed(_ isSatisfied: Bool?, reason: String)
  /// A controller's process has ended, or none could be started: it begins anew in another one after `pause`.
  func interrupted(by failure: PluginFailure, pause: Duration)
  /// It does so now.
  func resumed()
  /// A line for the log.
  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?)
  /// Whether states and reruns wait until they are taken, which is told by ``PluginInstance/settled(_:)``: not more of them than plugin.h says.
  var keepsSignals: Bool { get }
  /// Returns when another signal would be kept, or the task is cancelled. For who can wait: what a plugin's own code tells is told at once.
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

/// What a controller tells.
public enum PluginSignal: Sendable, Hashable {
  case state(JSONValue)
  case error(PluginFailure)
  case rerun(JSONValue)
  case reset
  /// Instants for which it will not ask: see ``PluginLeftOut``.
  case leftOut(JSONValue)
}

/// How important a line of a plugin's log is.
public enum PluginLogLevel: Int32, Sendable, Hashable {
  case debug, info, warning, error
}

/// What an instance may reach beyond itself, through the host's services.
public struct PluginAccess: Sendable {
  /// Gives the secret of that name, where the pipeline file lists it for the plugin. May be called on any thread; not
  /// under a lock.
  public typealias Secrets = @Sendable (_ name: String) async throws(PluginAccessError) -> String

  /// Gives the pipeline's secrets; nil where there are none.
  public let secrets: Secrets?
  /// The plugin's own durable values.
  public let storage: (any PluginStorage)?

  /// What is given, and nothing else.
  public init(secrets: Secrets? = nil, storage: (any PluginStorage)? = nil) {
    self.secrets = secrets
    self.storage = storage
  }

  /// Nothing.
  public static let none = PluginAccess()
}

/// Why a service does not give what it was asked for.
public enum PluginAccessError: Error, Sendable, Hashable {
  case denied
  case unknown
  case unavailable
}

/// Durable keys and JSON values of one plugin.
public protocol PluginStorage: Sendable {
  func value(of key: String) async throws(PluginAccessError) -> JSONValue
  /// Sets it, or removes it with nil; returns when that is durable.
  func set(_ value: JSONValue?, for key: String) async throws(PluginAccessError)
  func keys(beginningWith prefix: String) async throws(PluginAccessError) -> [String]
}
