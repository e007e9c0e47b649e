import Workspace

/// A run as a row of the table, whatever wrote it: unknown words are kept as they are, and numbers may have any value.
struct StoredRun: Storable {
  var number: Int64
  var id: String
  var pipeline: String
  var definition: Int64
  var path: String?
  var params: String
  var trigger: String
  var host: String
  var user: String
  var version: String
  var boot: String
  var pid: Int64
  var processStarted: Int64
  var parent: String?
  var parentOperation: String?
  var state: String
  var reason: String?
  var createdAt: Int64
  var startedAt: Int64?
  var endedAt: Int64?
  var operations: Int64
  var succeeded: Int64
  var failed: Int64
  var skipped: Int64
  var cancelled: Int64
  var reused: Int64
  var controller: String?
  var event: String?
  var source: String?
  var selection: String?
  var parentAttempt: Int64?
  var fence: Int64?
  var instant: Int64?
  var cancelledBy: String?
  var cancelledWith: String?
  var labels: String?
  var definitionHash: String?

  static let number = Field("number", \StoredRun.number)
  static let id = Field("id", \StoredRun.id)
  static let pipeline = Field("pipeline", \StoredRun.pipeline)
  static let definition = Field("definition", \StoredRun.definition)
  static let path = Field("path", \StoredRun.path)
  static let params = Field("params", \StoredRun.params)
  static let trigger = Field("trigger", \StoredRun.trigger)
  static let host = Field("host", \StoredRun.host)
  static let user = Field("user", \StoredRun.user)
  static let version = Field("version", \StoredRun.version)
  static let boot = Field("boot", \StoredRun.boot)
  static let pid = Field("pid", \StoredRun.pid)
  static let processStarted = Field("process_started", \StoredRun.processStarted)
  static let parent = Field("parent", \StoredRun.parent)
  static let parentOperation = Field("parent_operation", \StoredRun.parentOperation)
  static let state = Field("state", \StoredRun.state)
  static let reason = Field("reason", \StoredRun.reason)
  static let createdAt = Field("created_at", \StoredRun.createdAt)
  static let startedAt = Field("started_at", \StoredRun.startedAt)
  static let endedAt = Field("ended_at", \StoredRun.endedAt)
  static let operations = Field("operations", \StoredRun.operations)
  static let succeeded = Field("succeeded", \StoredRun.succeeded)
  static let failed = Field("failed", \StoredRun.failed)
  static let skipped = Field("skipped", \StoredRun.skipped)
  static let cancelled = Field("cancelled", \StoredRun.cancelled)
  static let reused = Field("reused", \StoredRun.reused)
  static let controller = Field("controller", \StoredRun.controller)
  static let event = Field("event", \StoredRun.event)
  static let source = Field("source", \StoredRun.source)
  static let selection = Field("selection", \StoredRun.selection)
  static let parentAttempt = Field("parent_attempt", \StoredRun.parentAttempt)
  static let fence = Field("fence", \StoredRun.fence)
  static let instant = Field("instant", \StoredRun.instant)
  static let cancelledBy = Field("cancelled_by", \StoredRun.cancelledBy)
  static let cancelledWith = Field("cancelled_with", \StoredRun.cancelledWith)
  static let labels = Field("labels", \StoredRun.labels)
  static let definitionHash = Field(
    "definition_hash", \StoredRun.definitionHash, of: StoredDefinition.hash, where: StoredDefinition.number,
    equals: definition)
  static let schema = ObjectSchema(
    "run_record", StoredRun.init, number, id, pipeline, definition, path, params, trigger, host, user, version,
    boot, pid, processStarted, parent, parentOperation, state, reason, createdAt, startedAt, endedAt,
    operations, succeeded, failed, skipped, cancelled, reused, controller, event, source, selection,
    parentAttempt, fence, instant, cancelledBy, cancelledWith, labels, definitionHash, key: number)
}

extension StoredRun {
  /// The process that executes it.
  var owner: ProcessIdentity { ProcessIdentity(boot: boot, pid: pid.asProcess, started: processStarted) }

  /// The run; nil if it contains words unknown to this version, which only another program can have written.
  var record: RunRecord? {
    guard let id = RunID(id), let state = RunState(rawValue: state) else { return nil }
    var parent: RunRecord.Parent?
    if let text = self.parent, let run = RunID(text) {
      parent = RunRecord.Parent(
        run: run, operation: parentOperation ?? "", attempt: parentAttempt.flatMap { Int(exactly: $0) })
    }
    var record = RunRecord(
      id: id, pipeline: pipeline, definitionHash: definitionHash ?? "", path: path, params: params,
      trigger: RunTrigger(rawValue: trigger), host: host, user: user, version: version, owner: owner, parent: parent,
      state: state, reason: reason, createdAt: RecordTime(microseconds: createdAt),
      startedAt: startedAt.map(RecordTime.init(microseconds:)), endedAt: endedAt.map(RecordTime.init(microseconds:)),
      counts: RunCounts(
        operations: operations.asCount, succeeded: succeeded.asCount, failed: failed.asCount, skipped: skipped.asCount,
        cancelled: cancelled.asCount, reused: reused.asCount))
    record.controller = controller
    record.event = event
    record.origin = RunOrigin(source: source.flatMap { RunID($0) }, text: selection)
    record.fence = fence ?? 0
    record.instant = instant.map(RecordTime.init(microseconds:))
    record.canceller = RunCanceller(who: cancelledBy, means: cancelledWith)
    record.labels = RunLabels.labels(of: labels)
    return record
  }

  /// The statement that adds a run, whose number SQLite assigns.
  ///
  /// Not `OR ABORT`, the default: for a table with a trigger, SQLite would copy each page before writing to it, to undo a statement that fails
  /// halfway. That takes 4 µs of 12; if this statement fails, the whole transaction is rolled back.
  static let adding = "INSERT OR FAIL INTO run_record " + BoundStatement.values(36)

  /// Binds the values of a run, whose definition has the given number, to ``adding``, in the order of the columns.
  static func bind(_ record: RunRecord, definition: Int64, to statement: inout BoundStatement) {
    statement.bindNull()
    statement.bind(record.id.text)
    statement.bind(record.pipeline)
    statement.bind(definition)
    statement.bind(record.path)
    statement.bind(record.params)
    statement.bind(record.trigger.rawValue)
    statement.bind(record.host)
    statement.bind(record.user)
    statement.bind(record.version)
    statement.bind(record.owner.boot)
    statement.bind(Int64(record.owner.pid))
    statement.bind(record.owner.started)
    statement.bind(record.parent?.run.text)
    statement.bind(record.parent?.operation)
    statement.bind(record.state.rawValue)
    statement.bind(record.reason)
    statement.bind(record.createdAt.microseconds)
    statement.bind(record.startedAt?.microseconds)
    statement.bind(record.endedAt?.microseconds)
    statement.bind(record.counts)
    statement.bind(record.controller)
    statement.bind(record.event)
    statement.bind(record.origin.source?.text)
    statement.bind(record.origin.text)
    statement.bind(record.parent?.attempt)
    statement.bind(record.fence)
    statement.bind(record.instant?.microseconds)
    statement.bind(record.canceller?.who)
    statement.bind(record.canceller?.means.rawValue)
    statement.bind(RunLabels.text(of: record.labels))
  }

  /// Whether the run belongs to a process and has not ended according to its record. A queued run belongs to none.
  static var goesOn: Condition<StoredRun> {
    state.in(RunState.allCases.filter { !$0.isFinal }.map(\.rawValue))
      && processStarted != ProcessIdentity.nobody.started
  }
}

extension BoundStatement {
  /// Binds the columns from `operations` to `reused`.
  mutating func bind(_ counts: RunCounts) {
    bind(counts.operations)
    bind(counts.succeeded)
    bind(counts.failed)
    bind(counts.skipped)
    bind(counts.cancelled)
    bind(counts.reused)
  }
}
