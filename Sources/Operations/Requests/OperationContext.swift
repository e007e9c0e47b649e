/// What callers, modifiers and requests tell each other about a run, as values under typed keys.
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
/// A context is a value: a copy is one reference, shared until one side writes. An empty context owns no memory. Lookup
/// is a linear search, which beats hashing for the ten or so entries that contexts have.
public struct OperationContext: Sendable {
  /// Names an entry of the context and says what it is where nobody has set it.
  public protocol Key {
    /// The type of the entry.
    associatedtype Value: Sendable
    /// The entry where nobody has set one.
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

  /// A context in which every key has its default.
  @inlinable
  public init() {
    entries = []
  }

  /// The entry of `key`, or the key's default. Setting allocates; reading does not.
  @inlinable
  public subscript<K: Key>(key: K.Type) -> K.Value {
    get {
      let wanted = ObjectIdentifier(key)
      for entry in entries where entry.key == wanted {
        // The entry was stored under this very key type, so its box has this very value type; a checked cast would cost
        // ten times as much.
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

  /// Whether somebody has set `key`.
  func hasValue<K: Key>(for key: K.Type) -> Bool {
    let wanted = ObjectIdentifier(key)
    return entries.contains { $0.key == wanted }
  }

  /// Gives `key` its default again.
  @inlinable
  public mutating func removeValue<K: Key>(for key: K.Type) {
    let wanted = ObjectIdentifier(key)
    guard let index = entries.firstIndex(where: { $0.key == wanted }) else { return }
    entries.remove(at: index)
  }
}

/// Immutable, so that contexts may share it between threads.
@usableFromInline
class ContextBox: @unchecked Sendable {
  // @unchecked: only because it has subclasses; it has no state itself.

  @inlinable
  init() {}
}

@usableFromInline
final class ContextValueBox<Value: Sendable>: ContextBox, @unchecked Sendable {
  // @unchecked: inherited; its only variable is a constant of a Sendable type.

  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
    super.init()
  }
}
