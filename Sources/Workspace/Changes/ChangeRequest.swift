/// A change to one object, to be passed to ``ChangeContext/submit(_:)``.
///
/// A request is a value: it may be created anywhere and submitted more than once.
public struct ChangeRequest<T: Storable> {
  @usableFromInline
  enum Action {
    case creation
    case change((inout T) throws -> Void)
    case upsert
    case deletion
  }

  // Not in the enumeration: extracting a payload copies it and counts all its references.
  @usableFromInline let object: T
  @usableFromInline let action: Action

  @inlinable
  init(_ object: T, _ action: Action) {
    self.object = object
    self.action = action
  }
}

extension Storable {
  /// Creates the object, whose key and unique values must not be in use.
  @inlinable
  public static func creationRequest(_ object: Self) -> ChangeRequest<Self> {
    ChangeRequest(object, .creation)
  }

  /// Changes the object with the key of `object`. `change` receives the copy stored at the time of the submission, so that other changes since `object`
  /// was fetched are not undone. It may also change the key.
  @inlinable
  public static func changeRequest(_ object: Self, _ change: @escaping (inout Self) throws -> Void) -> ChangeRequest<
    Self
  > {
    ChangeRequest(object, .change(change))
  }

  /// Creates the object, or replaces all fields of the one with its key.
  @inlinable
  public static func upsertRequest(_ object: Self) -> ChangeRequest<Self> {
    ChangeRequest(object, .upsert)
  }

  /// Deletes the object with the key of `object`, whatever its other fields are.
  @inlinable
  public static func deletionRequest(_ object: Self) -> ChangeRequest<Self> {
    ChangeRequest(object, .deletion)
  }
}

/// The effect of a submission.
public enum UpdatedObject<T: Storable>: Sendable {
  /// The object was created.
  case inserted(T)
  /// The object was changed to this value.
  case updated(T)
  /// The object already had this value: nothing was written, and no subscriber is notified.
  case identity(T)
  /// The object with this key was deleted.
  case deleted(ObjectKey)

  /// The object as stored now; nil if it was deleted.
  public var object: T? {
    switch self {
    case .inserted(let object), .updated(let object), .identity(let object): object
    case .deleted: nil
    }
  }
}

extension UpdatedObject: Equatable where T: Equatable {}
