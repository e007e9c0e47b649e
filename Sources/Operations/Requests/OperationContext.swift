/// The information that callers, modifiers and requests share about a run, as values under typed keys.
///
/// ```swift
/// extension OperationContext {
///   private enum ShardKey: Key { static let defaultValue = 0 }
///   var shard: Int {
///     get { self[ShardKey.self] }
///     set { self[ShardKey.self] = newValue }
///   }
/// }
/// ```
///
/// A context is a value: copying it copies one reference, and its storage is shared until one copy is written. An empty context owns no
/// memory. Lookup is a linear search, which is faster than hashing for the ten or so entries that contexts have.
public struct OperationContext: Sendable {
  /// Identifies an entry of the context and provides its default.
  public protocol Key {
    /// The type of the entry.
    associatedtype Value: Sendable
    /// The value of an entry that has not been set.
    static var defaultValue: Value { get }
  }

  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline let key: ObjectIdentifier
    @usableFromInline let box: ContextBox

    @inlinable
    init(key: ObjectIdentifier, box: ContextBox) {
      self.key = key
      self.box = box
    }
  }

  @usableFromInline var entries: ContiguousArray<Entry>

  /// Creates a context in which every key has its default.
  @inlinable
  public init() {
    entries = []
  }

  /// The entry of `key`, or the key's default. Setting it allocates memory; reading it does not.
  @inlinable
  public subscript<K: Key>(key: K.Type) -> K.Value {
    get {
      let wanted = ObjectIdentifier(key)
      for entry in entries where entry.key == wanted {
        // The entry was stored under this key type, so its box has this value type; a checked cast would take ten times
        // as long.
        return unsafeDowncast(entry.box, to: ContextValueBox<K.Value>.self).value
      }
      return K.defaultValue
    }
    set {
      let wanted = ObjectIdentifier(key)
      let entry = Entry(key: wanted, box: ContextValueBox(newValue))
      if let index = entries.firstIndex(where: { $0.key == wanted }) {
        entries[index] = entry
      } else {
        entries.append(entry)
      }
    }
  }

  /// Returns whether `key` has been set.
  func hasValue<K: Key>(for key: K.Type) -> Bool {
    let wanted = ObjectIdentifier(key)
    return entries.contains { $0.key == wanted }
  }

  /// Resets `key` to its default.
  @inlinable
  public mutating func removeValue<K: Key>(for key: K.Type) {
    let wanted = ObjectIdentifier(key)
    guard let index = entries.firstIndex(where: { $0.key == wanted }) else { return }
    entries.remove(at: index)
  }
}

/// An immutable box, so that contexts may share it between threads.
@usableFromInline
class ContextBox: @unchecked Sendable {
  // @unchecked: only because it has subclasses; it has no state itself.

  @inlinable
  init() {}
}

@usableFromInline
final class ContextValueBox<Value: Sendable>: ContextBox, @unchecked Sendable {
  // @unchecked: inherited; its only stored property is a constant of a Sendable type.

  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
    super.init()
  }
}
