/// Why a submission or a whole transaction failed: the object and the cause.
public struct ChangeError: Error, Sendable, Equatable {
  /// The cause of the failure.
  public enum Cause: Sendable, Equatable {
    /// Another object has this key. Use an upsert if that is expected. Only this submission is undone.
    case keyTaken
    /// Another object has these values in unique fields. Only this submission is undone.
    case valueTaken(fields: [String])
    /// There is no object with this key to change or delete. Only this submission is undone.
    case missing
    /// The database rejects the row, with SQLite's message. Only this submission is undone.
    case constraint(message: String)
    /// The field's value cannot be stored. Only this submission is undone.
    case unsuitable(field: String, reason: String)
    /// The type was not listed when the transaction was begun. Nothing else is affected.
    case undeclaredType
    /// The transaction was aborted by its own code; none of it took effect.
    case aborted
    /// The context was used after its transaction.
    case ended
    /// The workspace failed: it is full, closed, read-only, corrupt, locked, or has a newer schema. None of the transaction took effect.
    case workspace(WorkspaceError)
  }

  /// The table of the object, or the name of the type that was not listed.
  public let table: String?
  /// The key of the object, if there is one.
  public let key: ObjectKey?
  /// The cause of the failure.
  public let cause: Cause

  /// Creates an error.
  public init(table: String? = nil, key: ObjectKey? = nil, cause: Cause) {
    self.table = table
    self.key = key
    self.cause = cause
  }

  /// A stable name for programs.
  public var code: String {
    switch cause {
    case .keyTaken: "change-key-taken"
    case .valueTaken: "change-value-taken"
    case .missing: "change-missing"
    case .constraint: "change-constraint"
    case .unsuitable: "change-unsuitable"
    case .undeclaredType: "change-undeclared-type"
    case .aborted: "change-aborted"
    case .ended: "change-ended"
    case .workspace(let error): error.code
    }
  }

  /// Whether the whole transaction is lost, as opposed to only this submission.
  var endsTransaction: Bool {
    if case .workspace = cause { true } else { false }
  }
}

extension ChangeError: CustomStringConvertible {
  /// A one-line message for people to read.
  public var description: String {
    let object = [table, key?.description].compactMap { $0 }.joined(separator: " ")
    return switch cause {
    case .keyTaken: "\(object) already exists. This submission changed nothing; use an upsert if the object may exist."
    case .valueTaken(let fields):
      "another object has the same \(fields.joined(separator: ", ")) as \(object). This submission changed nothing."
    case .missing: "\(object) does not exist, so it cannot be changed or deleted."
    case .constraint(let message): "\(object) cannot be stored: \(message)."
    case .unsuitable(let field, let reason): "the \(field) of \(object) cannot be stored: \(reason)."
    case .undeclaredType:
      "\(object) is not among the types of the transaction. Add it to the list passed to performChanges."
    case .aborted: "the transaction was aborted; nothing was changed."
    case .ended: "the context was used after its transaction. Submit before the closure returns."
    case .workspace(let error): error.description
    }
  }
}
