/// The plugin's part of a context: in `run` of operations, in `controls.context` of controllers and in the context of specifications. Outside a
/// host, every value has a harmless default.
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

  /// The clock: the host's in a plugin, the system's otherwise.
  ///
  /// In a plugin, `operationClock` and `operationDelayer` are this clock too, so that modifiers such as `retry` use it. Setting it sets them as well.
  public var pluginClock: any PluginClock {
    get { self[ClockKey.self] ?? SystemPluginClock() }
    set {
      self[ClockKey.self] = newValue
      operationClock = newValue
      operationDelayer = newValue
    }
  }

  /// The host's log. Discards everything outside a host.
  public var pluginLog: PluginLog {
    get { self[LogKey.self] }
    set { self[LogKey.self] = newValue }
  }

  /// The plugin's durable values. Unavailable outside a host.
  public var pluginStorage: PluginStorage {
    get { self[StorageKey.self] }
    set { self[StorageKey.self] = newValue }
  }

  /// The host's information about the instance, such as its pipeline and run.
  public var pluginInput: PluginInput {
    get { self[InputKey.self] }
    set { self[InputKey.self] = newValue }
  }

  /// Returns the time left to end; see ``pluginTimeToStop``.
  public var pluginStopTime: @Sendable () -> Duration? {
    get { self[StopTimeKey.self] }
    set { self[StopTimeKey.self] = newValue }
  }

  /// Receives the progress of an operation; see ``pluginProgress(_:_:)``.
  public var pluginProgressHandler: @Sendable (_ fraction: Double?, _ message: String?) -> Void {
    get { self[ProgressKey.self] }
    set { self[ProgressKey.self] = newValue }
  }

  /// Returns secrets; see ``pluginSecret(_:)``.
  public var pluginSecrets: @Sendable (_ name: String) async throws -> String {
    get { self[SecretsKey.self] }
    set { self[SecretsKey.self] = newValue }
  }

  /// Reports the operation's progress. The host may drop some reports if there are many.
  ///
  /// - Parameters:
  ///   - fraction: From 0 to 1; nil if unknown.
  ///   - message: The current step, in a few words.
  public func pluginProgress(_ fraction: Double? = nil, _ message: String? = nil) {
    pluginProgressHandler(fraction, message)
  }

  /// How long the host still waits for the instance to end, after requesting that by cancelling the task or the subscription: the rest of the
  /// operation's `grace` in a pipeline. Nil until the host has requested the end; zero when the time is up.
  ///
  /// ```swift
  /// } catch is CancellationError {
  ///   try await connection.close(within: context.pluginTimeToStop ?? .zero)
  /// ```
  public var pluginTimeToStop: Duration? { pluginStopTime() }

  /// Returns the text of the pipeline's secret `name`. From then on, the host masks it in everything that the instance logs or returns.
  ///
  /// - Throws: ``PluginAccessProblem``, for example if the pipeline file does not give the secret to the plugin.
  public func pluginSecret(_ name: String) async throws -> String { try await pluginSecrets(name) }
}
