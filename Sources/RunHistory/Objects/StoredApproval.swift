import Workspace

/// A question and its answer as a row of the table, with the state of the operation that asked.
struct StoredApproval: Storable {
  var operation: Int64
  var name: String
  var message: String
  var requestedAt: Int64
  var answeredAt: Int64?
  var approved: Int64?
  var note: String?
  var who: String?
  var operationState: String?

  static let operation = Field("operation", \StoredApproval.operation)
  static let name = Field("name", \StoredApproval.name)
  static let message = Field("message", \StoredApproval.message)
  static let requestedAt = Field("requested_at", \StoredApproval.requestedAt)
  static let answeredAt = Field("answered_at", \StoredApproval.answeredAt)
  static let approved = Field("approved", \StoredApproval.approved)
  static let note = Field("note", \StoredApproval.note)
  static let who = Field("who", \StoredApproval.who)
  static let operationState = Field(
    "operation_state", \StoredApproval.operationState, of: StoredOperation.state, where: StoredOperation.key,
    equals: operation)
  static let schema = ObjectSchema(
    "approval", StoredApproval.init, operation, name, message, requestedAt, answeredAt, approved, note, who,
    operationState, key: operation)
}

extension StoredApproval {
  /// Returns the question; `canGoOn` is whether its run can continue.
  func record(of run: RunID, canGoOn: Bool) -> Approval {
    var approval = Approval(
      run: run, ordinal: InstanceKey(operation).ordinal, operation: name, message: message,
      requestedAt: RecordTime(microseconds: requestedAt))
    if let answeredAt {
      approval.answer = Approval.Answer(
        isApproved: approved.map { $0 != 0 } ?? false, note: note, who: who ?? "",
        at: RecordTime(microseconds: answeredAt))
    } else {
      approval.isOver = !canGoOn || operationState.flatMap(OperationState.init)?.isFinal ?? true
    }
    return approval
  }

  /// The questions of a run, by its number.
  static func of(_ run: Int64) -> Condition<StoredApproval> {
    let range = InstanceKey.range(of: run)
    return operation.between(range.first, range.last)
  }
}
