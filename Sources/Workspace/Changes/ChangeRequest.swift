/// What is to happen to one object, to be handed to ``ChangeContext/submit(_:)``.
///
/// A request is a value: it may be made anywhere and submitted more than once.
public struct ChangeRequest<T: Storable> {
  @usableFromInline
  enum Action {
    case creation
    case change((inout T) throws -> Void)
    case upsert
    case deletion
  }

  // Beside the action and not inside of it: to take it out of an enumeration is to copy it, and to count all its references.
  @usableFromInline let object: T
  @usableFromInline let action: Action

  @inlinable
  init(_ object: T, _ action: Action) {
    self.object = object
    self.action = action
  }
}

extension Storable {
  /// The object is new. Its key and its unique values must be free.
  @inlinable
  public static func creationRequest(_ object: Self) -> ChangeRequest<Self> {
    ChangeRequest(object, .creation)
  }

  /// The object with the key of `object` is changed by `change`, which is given the copy that is stored at the time of the
  /// submission: what others have changed since `object` was fetched is not undone. It may change the key as well.
  @inlinable
  public static func changeRequest(_ object: Self, _ change: @escaping (inout Self) throws -> Void) -> ChangeRequest<
    Self
  > {
    ChangeRequest(object, .change(change))
  }

  /// The object is created, or takes the place of the one with its key, with all its fields.
  @inlinable
  public static func upsertRequest(_ object: Self) -> ChangeRequest<Self> {
    ChangeRequest(object, .upsert)
  }

  /// The object with the key of `object` is deleted, whatever its other fields are.
  @inlinable
  public static func deletionRequest(_ object: Self) -> ChangeRequest<Self> {
    ChangeRequest(object, .deletion)
  }
}

/// What a submission has done.
public enum UpdatedObject<T: Storable>: Sendable {
  /// The object is new.
  case inserted(T)
  /// The object has been changed to this.
  case updated(T)
  /// The object was like this already: nothing was written, and no subscriber is told.
  case identity(T)
  /// The object with this key is gone.
  case deleted(ObjectKey)

  /// The object as it is stored now; nil if it is gone.
  public var object: T? {
    switch self {
    case .inserted(let object), .updated(let object), .identity(let object): object
    case .deleted: nil
    }
  }
}

extension UpdatedObject: Equatable where T: Equatable {}
