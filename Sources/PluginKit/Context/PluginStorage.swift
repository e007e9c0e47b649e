/// What a plugin remembers: durable keys and values of its own, in the workspace of the host.
///
/// All plugins of one id share them, whatever pipeline they run in. Keys have at most 1,024 bytes.
public struct PluginStorage: Sendable {
  private let get: @Sendable (String) async throws -> JSONValue
  private let set: @Sendable (String, JSONValue?) async throws -> Void
  private let list: @Sendable (String) async throws -> [String]

  /// A storage of these functions; `get` throws ``PluginAccessProblem/unknown`` where there is no such key.
  public init(
    get: @escaping @Sendable (_ key: String) async throws -> JSONValue,
    set: @escaping @Sendable (_ key: String, _ value: JSONValue?) async throws -> Void,
    list: @escaping @Sendable (_ prefix: String) async throws -> [String]
  ) {
    self.get = get
    self.set = set
    self.list = list
  }

  /// A storage that is not there: everything throws ``PluginAccessProblem/unavailable(_:)``.
  public static let unavailable = PluginStorage(
    get: { _ in throw PluginAccessProblem.unavailable("there is no workspace") },
    set: { _, _ in throw PluginAccessProblem.unavailable("there is no workspace") },
    list: { _ in throw PluginAccessProblem.unavailable("there is no workspace") })

  /// The value of `key`; nil where there is none.
  ///
  /// - Throws: ``PluginAccessProblem``, or `DecodingError` where the stored value is of another type.
  public func value<Value: PluginValue>(_ type: Value.Type = Value.self, for key: String) async throws -> Value? {
    do {
      return try ValueDecoder.decode(type, from: try await get(key))
    } catch PluginAccessProblem.unknown {
      return nil
    }
  }

  /// Sets the value of `key`; it is durable when this returns. Throws ``PluginAccessProblem``.
  public func set(_ value: some PluginValue, for key: String) async throws {
    try await set(key, try ValueEncoder.encode(value))
  }

  /// Removes `key`, which need not be there. Throws ``PluginAccessProblem``.
  public func remove(_ key: String) async throws { try await set(key, nil) }

  /// The keys that begin with `prefix`, in order; all of them by default. Throws ``PluginAccessProblem``.
  public func keys(beginningWith prefix: String = "") async throws -> [String] { try await list(prefix) }
}
