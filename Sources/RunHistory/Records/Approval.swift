/// A question to a person, asked by an operation with `approve`, and its answer once there is one.
public struct Approval: Sendable, Hashable {
  /// The person's decision.
  public struct Answer: Sendable, Hashable {
    /// Whether it is yes.
    public var isApproved: Bool
    /// The person's remark.
    public var note: String?
    /// The person's login name.
    public var who: String
    /// When the person answered.
    public var at: RecordTime

    /// Creates an answer.
    public init(isApproved: Bool, note: String?, who: String, at: RecordTime) {
      self.isApproved = isApproved
      self.note = note
      self.who = who
      self.at = at
    }
  }

  /// The run.
  public var run: RunID
  /// The number of the operation instance in the run.
  public var ordinal: Int
  /// The name of the operation instance.
  public var operation: String
  /// The question.
  public var message: String
  /// When it was asked.
  public var requestedAt: RecordTime
  /// The answer; nil as long as there is none.
  public var answer: Answer?
  /// Whether the operation or its run has ended without an answer, so that none is awaited any more.
  public var isOver: Bool

  /// The state of the question, as in the view `approvals`.
  public var state: String {
    guard let answer else { return isOver ? "unanswered" : "pending" }
    return answer.isApproved ? "approved" : "rejected"
  }

  /// Creates a question, pending unless it has an answer or is over.
  public init(
    run: RunID, ordinal: Int, operation: String, message: String, requestedAt: RecordTime, answer: Answer? = nil,
    isOver: Bool = false
  ) {
    self.run = run
    self.ordinal = ordinal
    self.operation = operation
    self.message = message
    self.requestedAt = requestedAt
    self.answer = answer
    self.isOver = isOver
  }
}

/// The outcome of answering an approval.
public enum ApprovalOutcome: Sendable, Hashable {
  /// The answer is recorded.
  case answered(Approval)
  /// It had been answered before; nothing was changed.
  case alreadyAnswered(Approval)
  /// An answer is no longer awaited; nothing was changed.
  case over(Approval)
  /// The run has no such question; these are the operations with unanswered questions.
  case notAsked(pending: [String])
}

/// A request of another process to a run, which the run's host reads when it is notified.
public enum RunRequest: String, Sendable, Hashable, CaseIterable {
  /// End the run, with its handlers.
  case cancel
  /// End the run immediately, without a grace period for its processes.
  case kill
  /// Let an operation that waits for a retry begin immediately.
  case wake

  /// The requests that end the run.
  static let endings: [RunRequest] = [.cancel, .kill]
}
