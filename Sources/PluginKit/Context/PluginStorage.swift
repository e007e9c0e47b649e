/// A plugin's durable keys and values, in the host's workspace.
///
/// Each pipeline has its own keys of a plugin. Keys have at most 1,024 bytes.
public struct PluginStorage: Sendable {
  private let get: @Sendable (String) async throws -> JSONValue
  private let set: @Sendable (String, JSONValue?) async throws -> Void
  private let list: @Sendable (String) async throws -> [String]

  /// Creates a storage from these functions; `get` throws ``PluginAccessProblem/unknown`` if the key does not exist.
  public init(
    get: @escaping @Sendable (_ key: String) async throws -> JSONValue,
    set: @escaping @Sendable (_ key: String, _ value: JSONValue?) async throws -> Void,
    list: @escaping @Sendable (_ prefix: String) async throws -> [String]
  ) {
    self.get = get
    self.set = set
    self.list = list
  }

  /// A storage that is unavailable: every function throws ``PluginAccessProblem/unavailable(_:)``.
  public static let unavailable = PluginStorage(
    get: { _ in throw PluginAccessProblem.unavailable("there is no workspace") },
    set: { _, _ in throw PluginAccessProblem.unavailable("there is no workspace") },
    list: { _ in throw PluginAccessProblem.unavailable("there is no workspace") })

  /// Returns the value of `key`; nil if there is none.
  ///
  /// - Throws: ``PluginAccessProblem``, or `DecodingError` if the stored value has another type.
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

  /// Removes `key`, if it exists. Throws ``PluginAccessProblem``.
  public func remove(_ key: String) async throws { try await set(key, nil) }

  /// Returns the sorted keys that begin with `prefix`; all keys by default. Throws ``PluginAccessProblem``.
  public func keys(beginningWith prefix: String = "") async throws -> [String] { try await list(prefix) }
}
