/// What is to happen to one object, to be handed to ``ChangeContext/submit(_:)``.
///
/// A request is a value: it may be made anywhere and submitted more than once.
public struct ChangeRequest<T: Storable> {
  @usableFromInline
  enum Kind {
    case creation(T)
    case change(T, (inout T) throws -> Void)
    case upsert(T)
    case deletion(T)
  }

  @usableFromInline let kind: Kind

  @inlinable
  init(kind: Kind) {
    self.kind = kind
  }
}

extension Storable {
  /// The object is new. Its key and its unique values must be free.
  @inlinable
  public static func creationRequest(_ object: Self) -> ChangeRequest<Self> {
    ChangeRequest(kind: .creation(object))
  }

  /// The object with the key of `object` is changed by `change`, which is given the copy that is stored at the time of the
  /// submission: what others have changed since `object` was fetched is not undone. It may change the key as well.
  @inlinable
  public static func changeRequest(_ object: Self, _ change: @escaping (inout Self) throws -> Void) -> ChangeRequest<
    Self
  > {
    ChangeRequest(kind: .change(object, change))
  }

  /// The object is created, or takes the place of the one with its key, with all its fields.
  @inlinable
  public static func upsertRequest(_ object: Self) -> ChangeRequest<Self> {
    ChangeRequest(kind: .upsert(object))
  }

  /// The object with the key of `object` is deleted, whatever its other fields are.
  @inlinable
  public static func deletionRequest(_ object: Self) -> ChangeRequest<Self> {
    ChangeRequest(kind: .deletion(object))
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
