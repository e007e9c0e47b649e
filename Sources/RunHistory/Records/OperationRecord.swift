/// Where a result is stored.
public enum RecordedResult: Sendable, Hashable {
  /// No result (which differs from the JSON value `null`).
  case none
  /// JSON text, in the row itself. Up to ``inlineLimit`` bytes.
  case inline(String)
  /// A file, by its path relative to the workspace, and its size in bytes.
  case file(path: String, size: Int64)

  /// Results larger than this are stored in a file: 1 MiB.
  public static let inlineLimit = 1 << 20
}

/// An error as it is recorded: a stable code, and a sentence.
public struct RecordedError: Sendable, Hashable {
  /// A stable code, `exit` or `dependency-failed`.
  public var code: String
  /// What happened, for people to read.
  public var message: String

  /// Creates an error.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// The error of an attempt that was running when its host ended.
  package static let hostDied = RecordedError(
    code: "host-died", message: "the process that ran it ended before the attempt did")

  /// The error of an attempt that was waiting when its host drained.
  package static let hostDrained = RecordedError(
    code: "host-drained", message: "its host was draining while it waited; the run continues with another attempt")

  /// Whether the attempt ended with its host, which says nothing about the attempt itself: it does not count towards a retry limit.
  package var isEndOfHost: Bool { code == Self.hostDied.code || code == Self.hostDrained.code }
}

/// The durable row of one operation instance in a run: always its latest state, completely rewritten each time.
///
/// An instance is an operation, or one item of an operation with `for_each` or `matrix`. The plan of the run numbers the instances; `ordinal` is that
/// number, below 2³².
public struct OperationRecord: Sendable, Hashable {
  /// The run.
  public var run: RunID
  /// The number of the instance in the run.
  public var ordinal: Int
  /// The name: `archive`, or `archive[3]` for an item.
  public var name: String
  /// The position of the operation in the file, from 0; items share it.
  public var position: Int
  /// The ordinal of the loop that this is an item of.
  public var parent: Int?
  /// The item, as JSON text.
  public var item: String?
  /// The state.
  public var state: OperationState
  /// A stable code for why it is in that state: `dependency-failed`, `condition`, `exclusive` ….
  public var reason: String?
  /// JSON text with the details of the reason: what it waits for, which dependency, when the next attempt is due.
  public var detail: String?
  /// The error it failed with, or its dependency's.
  public var error: RecordedError?
  /// The number of attempts begun so far.
  public var attempts: Int
  /// When its current wait began; nil if it is not waiting.
  public var waitingSince: RecordTime?
  /// When its first attempt began.
  public var startedAt: RecordTime?
  /// When it reached its final state.
  public var endedAt: RecordTime?
  /// The result.
  public var result: RecordedResult
  /// The fingerprint by which later runs may reuse the result; nil if it may not be reused.
  public var fingerprint: String?
  /// The run that a reused result comes from, in which the operation has the same name.
  public var reusedFrom: RunID?

  /// Creates the record of an instance.
  public init(
    run: RunID, ordinal: Int, name: String, position: Int, parent: Int? = nil, item: String? = nil,
    state: OperationState, reason: String? = nil, detail: String? = nil, error: RecordedError? = nil, attempts: Int = 0,
    waitingSince: RecordTime? = nil, startedAt: RecordTime? = nil, endedAt: RecordTime? = nil,
    result: RecordedResult = .none, fingerprint: String? = nil, reusedFrom: RunID? = nil
  ) {
    self.run = run
    self.ordinal = ordinal
    self.name = name
    self.position = position
    self.parent = parent
    self.item = item
    self.state = state
    self.reason = reason
    self.detail = detail
    self.error = error
    self.attempts = attempts
    self.waitingSince = waitingSince
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.result = result
    self.fingerprint = fingerprint
    self.reusedFrom = reusedFrom
  }
}

extension OperationRecord {
  /// Whether its success can be reused.
  package var isDone: Bool { state == .succeeded || state == .reused }
}
