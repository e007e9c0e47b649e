/// What plugin code finds in its context: in `run` of operations, in `controls.context` of controllers and in the context of
/// specifications. Outside of a host everything has a default that does no harm.
extension OperationContext {
  private enum ClockKey: Key { static let defaultValue: (any PluginClock)? = nil }
  private enum LogKey: Key { static let defaultValue = PluginLog.discarding }
  private enum StorageKey: Key { static let defaultValue = PluginStorage.unavailable }
  private enum InputKey: Key { static let defaultValue = PluginInput(.object([:])) }
  private enum StopTimeKey: Key {
    static let defaultValue: @Sendable () -> Duration? = { nil }
  }
  private enum ProgressKey: Key {
    static let defaultValue: @Sendable (_ fraction: Double?, _ message: String?) -> Void = { _, _ in }
  }
  private enum SecretsKey: Key {
    static let defaultValue: @Sendable (_ name: String) async throws -> String = { _ in
      throw PluginAccessProblem.unavailable("there are no secrets")
    }
  }

  /// The time. The host's in a plugin, the system's otherwise.
  ///
  /// In a plugin `operationClock` and `operationDelayer` are this clock too, so that modifiers such as `retry` go by it.
  /// Setting it sets these as well.
  public var pluginClock: any PluginClock {
    get { self[ClockKey.self] ?? SystemPluginClock() }
    set {
      self[ClockKey.self] = newValue
      operationClock = newValue
      operationDelayer = newValue
    }
  }

  /// The host's log. Discards everything outside of a host.
  public var pluginLog: PluginLog {
    get { self[LogKey.self] }
    set { self[LogKey.self] = newValue }
  }

  /// What the plugin remembers. Unavailable outside of a host.
  public var pluginStorage: PluginStorage {
    get { self[StorageKey.self] }
    set { self[StorageKey.self] = newValue }
  }

  /// What the host says of the occasion.
  public var pluginInput: PluginInput {
    get { self[InputKey.self] }
    set { self[InputKey.self] = newValue }
  }

  /// How long there is to end; see ``pluginTimeToStop``.
  public var pluginStopTime: @Sendable () -> Duration? {
    get { self[StopTimeKey.self] }
    set { self[StopTimeKey.self] = newValue }
  }

  /// Takes the progress of an operation; see ``pluginProgress(_:_:)``.
  public var pluginProgressHandler: @Sendable (_ fraction: Double?, _ message: String?) -> Void {
    get { self[ProgressKey.self] }
    set { self[ProgressKey.self] = newValue }
  }

  /// Gives secrets; see ``pluginSecret(_:)``.
  public var pluginSecrets: @Sendable (_ name: String) async throws -> String {
    get { self[SecretsKey.self] }
    set { self[SecretsKey.self] = newValue }
  }

  /// Says how far the operation is. The host may drop some when many come.
  ///
  /// - Parameters:
  ///   - fraction: From 0 to 1; nil where that is not known.
  ///   - message: What is being done, in a few words.
  public func pluginProgress(_ fraction: Double? = nil, _ message: String? = nil) {
    pluginProgressHandler(fraction, message)
  }

  /// How long the host waits for the end of the instance, since it asked for that by cancelling the task or the subscription: the
  /// operation's `grace` in a pipeline, less what has passed of it. Nil as long as it has not asked; zero when the time is over.
  ///
  /// ```swift
  /// } catch is CancellationError {
  ///   try await connection.close(within: context.pluginTimeToStop ?? .zero)
  /// ```
  public var pluginTimeToStop: Duration? { pluginStopTime() }

  /// The text of the pipeline's secret `name`. The host masks it in whatever the instance logs or gives back afterwards.
  ///
  /// - Throws: ``PluginAccessProblem``, among others where the pipeline file does not give it to the plugin.
  public func pluginSecret(_ name: String) async throws -> String { try await pluginSecrets(name) }
}
