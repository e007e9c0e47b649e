import Workspace

/// An operation instance as a row of the table, addressed by an ``InstanceKey``.
struct StoredOperation: Storable {
  var key: Int64
  var name: String
  var position: Int64
  var parent: Int64?
  var item: String?
  var state: String
  var reason: String?
  var detail: String?
  var errorCode: String?
  var error: String?
  var attempts: Int64
  var waitingSince: Int64?
  var startedAt: Int64?
  var endedAt: Int64?
  var fingerprint: String?
  var reusedFrom: String?
  var resultFile: String?
  var resultSize: Int64?
  var result: String?

  static let key = Field("key", \StoredOperation.key)
  static let name = Field("name", \StoredOperation.name)
  static let position = Field("position", \StoredOperation.position)
  static let parent = Field("parent", \StoredOperation.parent)
  static let item = Field("item", \StoredOperation.item)
  static let state = Field("state", \StoredOperation.state)
  static let reason = Field("reason", \StoredOperation.reason)
  static let detail = Field("detail", \StoredOperation.detail)
  static let errorCode = Field("error_code", \StoredOperation.errorCode)
  static let error = Field("error", \StoredOperation.error)
  static let attempts = Field("attempts", \StoredOperation.attempts)
  static let waitingSince = Field("waiting_since", \StoredOperation.waitingSince)
  static let startedAt = Field("started_at", \StoredOperation.startedAt)
  static let endedAt = Field("ended_at", \StoredOperation.endedAt)
  static let fingerprint = Field("fingerprint", \StoredOperation.fingerprint)
  static let reusedFrom = Field("reused_from", \StoredOperation.reusedFrom)
  static let resultFile = Field("result_file", \StoredOperation.resultFile)
  static let resultSize = Field("result_size", \StoredOperation.resultSize)
  static let result = Field("result", \StoredOperation.result)
  static let schema = ObjectSchema(
    "operation_record", StoredOperation.init, key, name, position, parent, item, state, reason, detail,
    errorCode, error, attempts, waitingSince, startedAt, endedAt, fingerprint, reusedFrom, resultFile,
    resultSize, result, key: key)
}

extension StoredOperation {
  /// Returns the operation of the run whose number is in its key, or nil if its state is unknown to this version.
  func record(of run: RunID) -> OperationRecord? {
    guard let state = OperationState(rawValue: state) else { return nil }
    return OperationRecord(
      run: run, ordinal: InstanceKey(key).ordinal, name: name, position: position.asCount, parent: parent?.asCount,
      item: item, state: state, reason: reason, detail: detail, error: RecordedError(code: errorCode, message: error),
      attempts: attempts.asCount, waitingSince: waitingSince.map(RecordTime.init(microseconds:)),
      startedAt: startedAt.map(RecordTime.init(microseconds:)), endedAt: endedAt.map(RecordTime.init(microseconds:)),
      result: RecordedResult(file: resultFile, size: resultSize, text: result), fingerprint: fingerprint,
      reusedFrom: reusedFrom.flatMap { RunID($0) })
  }

  /// The statement that inserts or replaces the row of an operation.
  static let writing = "INSERT OR REPLACE INTO operation_record " + BoundStatement.values(19)

  /// Binds the values of an operation to ``writing``, in the order of the columns.
  static func bind(_ record: OperationRecord, key: InstanceKey, to statement: inout BoundStatement) {
    statement.bind(key.value)
    statement.bind(record.name)
    statement.bind(record.position)
    statement.bind(record.parent)
    statement.bind(record.item)
    statement.bind(record.state.rawValue)
    statement.bind(record.reason)
    statement.bind(record.detail)
    statement.bind(record.error?.code)
    statement.bind(record.error?.message)
    statement.bind(record.attempts)
    statement.bind(record.waitingSince?.microseconds)
    statement.bind(record.startedAt?.microseconds)
    statement.bind(record.endedAt.map { max($0, record.startedAt ?? $0).microseconds })
    statement.bind(record.fingerprint)
    statement.bind(record.reusedFrom?.text)
    statement.bind(record.result)
  }

  /// The instances of a run, by its number.
  static func of(_ run: Int64) -> Condition<StoredOperation> {
    let range = InstanceKey.range(of: run)
    return key.between(range.first, range.last)
  }
}

extension RecordedError {
  /// Creates an error from two columns; nil if there is none.
  init?(code: String?, message: String?) {
    guard let code else { return nil }
    self.init(code: code, message: message ?? "")
  }
}

extension RecordedResult {
  /// Creates a result from three columns.
  init(file: String?, size: Int64?, text: String?) {
    if let file {
      self = .file(path: file, size: max(0, size ?? 0))
    } else {
      self = text.map { .inline($0) } ?? .none
    }
  }
}

extension BoundStatement {
  /// Binds the columns `result_file`, `result_size` and `result`.
  mutating func bind(_ result: RecordedResult) {
    switch result {
    case .none:
      bindNull()
      bindNull()
      bindNull()
    case .inline(let text):
      bindNull()
      bindNull()
      bind(text)
    case .file(let path, let size):
      bind(path)
      bind(size)
      bindNull()
    }
  }
}
