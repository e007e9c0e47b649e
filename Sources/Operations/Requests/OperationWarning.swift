/// A likely mistake in the use of the library: something that works, but not as its author expects.
public enum OperationWarning: Error, Sendable, Hashable, CustomStringConvertible {
  /// A client has a store of another request type at this path, so it returned a store that it does not keep. Give the
  /// requests different paths.
  case pathConflict(OperationPath, stored: String, requested: String)
  /// While the stores of a client were being edited, another store was added at the path of a store that the edit had inserted. The
  /// inserted store is not the client's. In the body of an edit, use the stores of the edit rather than those of the client.
  case lateInsertion(OperationPath)
  /// A continuation was used after the run had ended; the result is dropped. Yield before returning.
  case yieldAfterEnd(OperationPath)
  /// The controls of a store were used after the store ceased to exist; nothing happened. A controller must stop its
  /// work when its subscription is cancelled.
  case storeGone(OperationPath)
  /// A controller or a predicate was created for another state type than the store's, so it is not used. Apply its
  /// modifier to a request with that state.
  case stateMismatch(OperationPath, expected: String, found: String)

  /// The problem, its reason, and the fix.
  public var description: String {
    switch self {
    case .pathConflict(let path, let stored, let requested):
      "the path \(path) belongs to a store of \(stored), but was asked for \(requested), which got a store that is not "
        + "shared; give the two requests different paths"
    case .lateInsertion(let path):
      "a store was inserted at \(path), but the client got another one before the edit was over, so the inserted one is "
        + "not shared; use the stores of the edit in its body, and let one place make the store of a path"
    case .yieldAfterEnd(let path):
      "a run of \(path) yielded a result after it had ended, which is dropped; yield before returning"
    case .storeGone(let path):
      "the controls of \(path) were used after its store was gone, which does nothing; stop using them when the "
        + "controller's subscription is cancelled"
    case .stateMismatch(let path, let expected, let found):
      "something at \(path) was made for the state \(expected) but the store has \(found), so it is not used; apply its "
        + "modifier to a request with that state"
    }
  }
}

extension OperationContext {
  private enum WarningHandlerKey: Key {
    static let defaultValue: (@Sendable (OperationWarning) -> Void)? = nil
  }

  /// Receives the warnings; nil, the default, writes them to `operationLogger`.
  public var operationWarningHandler: (@Sendable (OperationWarning) -> Void)? {
    get { self[WarningHandlerKey.self] }
    set { self[WarningHandlerKey.self] = newValue }
  }

  /// Reports a warning.
  @usableFromInline
  func warn(_ warning: OperationWarning) {
    if let handler = operationWarningHandler {
      handler(warning)
    } else {
      operationLogger.warning("\(warning)")
    }
  }
}
