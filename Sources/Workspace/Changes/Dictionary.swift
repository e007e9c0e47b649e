/// One entry of a workspace's dictionary: a name, and a value as JSON.
public struct DictionaryEntry: Storable {
  /// The name.
  public var key: String
  /// The value, as JSON.
  public var value: String

  /// The field of the name.
  public static let key = Field("key", \DictionaryEntry.key)
  /// The field of the value.
  public static let value = Field("value", \DictionaryEntry.value)
  /// The table `dictionary`, which every workspace with objects has.
  public static let schema = ObjectSchema("dictionary", DictionaryEntry.init, key, value, key: key)
}

/// The name of a value in a workspace's dictionary, and its type.
///
/// ```swift
/// extension DictionaryKey where Value == Int { static let lastPage = DictionaryKey("last-page") }
/// ```
public struct DictionaryKey<Value: Codable & Sendable>: Sendable {
  /// The name, which is the same for one value in all versions.
  public let name: String

  /// Creates a key.
  public init(_ name: String) {
    self.name = name
  }

  func value(in entry: DictionaryEntry?, path: String) throws(WorkspaceError) -> Value? {
    guard let entry else { return nil }
    guard let value: Value = JSONColumn.decode(.text(entry.value)) else {
      throw .unreadable(path: path, field: "the dictionary's '\(name)'", value: entry.value)
    }
    return value
  }
}

extension ChangeContext {
  /// The value in the dictionary, as this transaction has left it; nil if there is none. Every transaction may use the dictionary.
  ///
  /// Throws ``WorkspaceError/unreadable(path:field:value:)`` if the value there is of another type.
  public func value<Value>(for key: DictionaryKey<Value>) throws -> Value? {
    try key.value(in: fetch(for: DictionaryEntry.self).where(DictionaryEntry.key == key.name).first, path: path)
  }

  /// Puts a value into the dictionary, together with the other changes of this transaction; nil takes it out.
  public func setValue<Value>(_ value: Value?, for key: DictionaryKey<Value>) throws {
    guard let value else {
      try delete(DictionaryEntry.self, where: DictionaryEntry.key == key.name)
      return
    }
    do {
      if case .text(let text) = try JSONColumn.encode(value) {
        try submit(DictionaryEntry.upsertRequest(DictionaryEntry(key: key.name, value: text)))
      }
    } catch let error as UnsuitableValue {
      throw ChangeError(
        table: "dictionary", key: ObjectKey([.text(key.name)]), cause: .unsuitable(field: "value", reason: error.reason)
      )
    }
  }
}

extension Workspace {
  /// The value in the dictionary; nil if there is none, or after ``shutdown()``.
  public func value<Value>(for key: DictionaryKey<Value>) throws -> Value? {
    try key.value(in: fetch(for: DictionaryEntry.self).where(DictionaryEntry.key == key.name).first, path: path)
  }

  /// Puts a value into the dictionary in a transaction of its own; nil takes it out.
  public func setValue<Value>(_ value: Value?, for key: DictionaryKey<Value>) async throws {
    try await performChanges([]) { try $0.setValue(value, for: key) }
  }

  /// The value now and from now on. Whoever is slow gets the last one and not each.
  public func publisher<Value>(for key: DictionaryKey<Value>)
    -> AsyncThrowingMapSequence<ResultPublisher<DictionaryEntry>, Value?>
  {
    let path = path
    return publisher(for: DictionaryEntry.self).where(DictionaryEntry.key == key.name)
      .map { try key.value(in: $0.result.first, path: path) }
  }
}
