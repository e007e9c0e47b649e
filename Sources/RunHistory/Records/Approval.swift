/// A question to a person, asked by an operation with `approve`, and the answer once there is one.
public struct Approval: Sendable, Hashable {
  /// What the person decided.
  public struct Answer: Sendable, Hashable {
    /// Yes, or no.
    public var isApproved: Bool
    /// A remark of the person's.
    public var note: String?
    /// Who it was.
    public var who: String
    /// When it was.
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
  /// Whether the operation or its run has ended without an answer, so that nobody waits for one any more.
  public var isOver: Bool

  /// What became of the question, in the word of the view `approvals`.
  public var state: String {
    guard let answer else { return isOver ? "unanswered" : "pending" }
    return answer.isApproved ? "approved" : "rejected"
  }

  /// Creates a question, pending unless an answer is given or it is over.
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

/// What came of answering an approval.
public enum ApprovalOutcome: Sendable, Hashable {
  /// The answer is recorded.
  case answered(Approval)
  /// Somebody has answered before; nothing was changed.
  case alreadyAnswered(Approval)
  /// Nobody waits for an answer any more; nothing was changed.
  case over(Approval)
  /// The run has no such question; these are the operations that have asked and not been answered.
  case notAsked(pending: [String])
}

/// A wish of another process for a run, which the run's host looks for when it is notified.
public enum RunRequest: String, Sendable, Hashable, CaseIterable {
  /// End the run, with its handlers.
  case cancel
  /// End the run at once: no grace for its processes.
  case kill
  /// Let an operation that waits for a retry try at once.
  case wake

  /// Those that end the run.
  static let endings: [RunRequest] = [.cancel, .kill]
}
