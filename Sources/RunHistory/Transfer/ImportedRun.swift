import Expressions
import Values
import Workspace

/// Why a line is no run that was exported.
public struct ImportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1; 0 as long as it is not known.
  public var line = 0
  /// What is wrong, in one sentence without a full stop.
  public var message: String

  init(_ message: String) {
    self.message = message
  }

  /// `line 3: 'state' of the run is 'fine', which is none`.
  public var description: String { line > 0 ? "line \(line): \(message)" : message }
}

/// Reads a run as ``ExportedRun`` has written it. Nothing in it is trusted: names of files must be those that a run of that id has.
struct ImportedRun {
  private let object: JSONValue
  private(set) var whole: RecordedRun

  init(_ value: JSONValue) throws(ImportError) {
    object = value
    let run = Reader(value, of: "the run")
    guard let id = RunID(try run.text("id")) else { throw ImportError("'id' of the run is no id of a run") }
    guard let source = try run.optionalText("source") else {
      throw ImportError(
        "there is no 'source'; only what `penstock history export` of this version wrote can be imported")
    }
    var record = RunRecord(
      id: id, pipeline: try run.text("pipeline"), definitionHash: try run.text("definition"),
      path: try run.optionalText("path"), params: (value["params"] ?? .object([:])).text,
      trigger: RunTrigger(rawValue: try run.text("trigger")), host: try run.text("host"), user: try run.text("user"),
      version: try run.text("version"),
      // No process of this computer: whatever the record says, nothing here runs it.
      owner: ProcessIdentity(boot: "", pid: 0, started: 0), state: try run.state("state", RunState.self),
      reason: try run.optionalText("reason"), createdAt: try run.time("created_at"),
      startedAt: try run.optionalTime("started_at"), endedAt: try run.end())
    if let parent = try run.optionalText("parent") {
      guard let parent = RunID(parent) else { throw ImportError("'parent' of the run is no id of a run") }
      record.parent = RunRecord.Parent(
        run: parent, operation: try run.optionalText("parent_operation") ?? "",
        attempt: try run.optionalNumber("parent_attempt").flatMap { Int(exactly: $0) })
    }
    record.origin = RunOrigin(
      source: try run.optionalText("taken_over_from").flatMap { RunID($0) }, text: value["selection"]?.text)
    record.controller = try run.optionalText("controller")
    record.event = value["event"].flatMap { $0 == .null ? nil : $0.text }
    let counts = Reader(value["counts"] ?? .null, of: "'counts'")
    record.counts = RunCounts(
      operations: try counts.count("operations"), succeeded: try counts.count("succeeded"),
      failed: try counts.count("failed"), skipped: try counts.count("skipped"),
      cancelled: try counts.count("cancelled"), reused: try counts.count("reused"))
    // Of a history that was repaired, definitions may be missing.
    let isLost = source.isEmpty && record.definitionHash.isEmpty
    guard isLost || record.definitionHash == ContentHash.of(source) else {
      throw ImportError("'definition' of the run is not the hash of its 'source'")
    }
    whole = RecordedRun(run: record, definition: source, operations: [], attempts: [], approvals: [])
    try readOperations(of: id)
    try readApprovals(of: id)
  }

  private mutating func readOperations(of run: RunID) throws(ImportError) {
    guard let values = object["operations"]?.arrayValue else { throw ImportError("'operations' is no list") }
    var ordinals: [String: Int] = [:]
    for value in values {
      let reader = Reader(value, of: "an operation")
      ordinals[try reader.text("operation")] = try reader.count("ordinal", atMost: 0xffff_ffff)
    }
    for value in values {
      let name = try Reader(value, of: "an operation").text("operation")
      let reader = Reader(value, of: "operation '\(name.prefix(100))'")
      let ordinal = try reader.count("ordinal", atMost: 0xffff_ffff)
      var record = OperationRecord(
        run: run, ordinal: ordinal, name: name, position: try reader.count("position"),
        item: value["item"]?.text, state: try reader.state("state", OperationState.self),
        reason: try reader.optionalText("reason"), detail: value["detail"]?.text, error: try reader.error(),
        attempts: try reader.count("attempt_count"), waitingSince: try reader.optionalTime("waiting_since"),
        startedAt: try reader.optionalTime("started_at"), endedAt: try reader.end(),
        result: try reader.result(of: run), fingerprint: try reader.optionalText("fingerprint"),
        reusedFrom: try reader.optionalText("reused_from").flatMap { RunID($0) })
      if let parent = try reader.optionalText("parent") {
        guard let ordinal = ordinals[parent] else { throw reader.wrong("parent", "is no operation of the run") }
        record.parent = ordinal
      }
      whole.operations.append(record)
      for attempt in value["attempts"]?.arrayValue ?? [] {
        whole.attempts.append(try self.attempt(attempt, of: record))
      }
    }
  }

  private func attempt(_ value: JSONValue, of operation: OperationRecord) throws(ImportError) -> AttemptRecord {
    let reader = Reader(value, of: "an attempt of '\(operation.name.prefix(100))'")
    return AttemptRecord(
      run: operation.run, ordinal: operation.ordinal, number: try reader.count("number", atLeast: 1),
      state: try reader.state("state", OperationState.self), startedAt: try reader.time("started_at"),
      endedAt: try reader.end(), exitCode: try reader.optionalNumber("exit_code").map { Int($0) },
      signal: try reader.optionalNumber("signal").map { Int($0) }, error: try reader.error(),
      result: try reader.result(of: operation.run),
      standardOutput: try reader.file("stdout_file", of: operation.run),
      standardError: try reader.file("stderr_file", of: operation.run),
      retryDelay: value["retry_delay_ms"]?.doubleValue.map { Int64(min(max($0 * 1000, 0), 1e18).rounded()) },
      retryDue: try reader.optionalTime("retry_due"), wakeCause: try reader.optionalText("wake_cause"),
      pid: try reader.optionalNumber("pid").flatMap { Int32(exactly: $0) },
      executor: try reader.optionalText("executor"), handle: try reader.optionalText("handle"))
  }

  private mutating func readApprovals(of run: RunID) throws(ImportError) {
    for value in object["approvals"]?.arrayValue ?? [] {
      let reader = Reader(value, of: "an approval")
      var approval = Approval(
        run: run, ordinal: try reader.count("ordinal", atMost: 0xffff_ffff), operation: try reader.text("operation"),
        message: try reader.text("message"), requestedAt: try reader.time("requested_at"))
      if let answered = try reader.optionalTime("answered_at") {
        approval.answer = Approval.Answer(
          isApproved: try reader.text("state") == "approved", note: try reader.optionalText("note"),
          who: try reader.optionalText("who") ?? "", at: answered)
      }
      whole.approvals.append(approval)
    }
  }
}

/// Reads the members of an object, and says which one is wrong.
private struct Reader {
  let object: JSONValue
  let owner: String

  init(_ object: JSONValue, of owner: String) {
    self.object = object
    self.owner = owner
  }

  func wrong(_ name: String, _ problem: String) -> ImportError { ImportError("'\(name)' of \(owner) \(problem)") }

  func text(_ name: String) throws(ImportError) -> String {
    guard let text = try optionalText(name) else { throw wrong(name, "is missing") }
    return text
  }

  func optionalText(_ name: String) throws(ImportError) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.stringValue else { throw wrong(name, "is no text") }
    return text
  }

  func optionalNumber(_ name: String) throws(ImportError) -> Int64? {
    guard let value = object[name], value != .null else { return nil }
    guard let number = value.intValue else { throw wrong(name, "is no whole number") }
    return number
  }

  func count(_ name: String, atLeast first: Int64 = 0, atMost limit: Int64 = 1 << 31) throws(ImportError) -> Int {
    guard let number = try optionalNumber(name) else { throw wrong(name, "is missing") }
    guard first...limit ~= number else { throw wrong(name, "is not from \(first) to \(limit)") }
    return Int(number)
  }

  func time(_ name: String) throws(ImportError) -> RecordTime {
    guard let time = try optionalTime(name) else { throw wrong(name, "is missing") }
    return time
  }

  /// `ended_at`, which is not before `started_at`.
  func end() throws(ImportError) -> RecordTime? {
    guard let end = try optionalTime("ended_at") else { return nil }
    if let start = try optionalTime("started_at"), end < start { throw wrong("ended_at", "is before 'started_at'") }
    return end
  }

  func optionalTime(_ name: String) throws(ImportError) -> RecordTime? {
    guard let text = try optionalText(name) else { return nil }
    guard let time = RecordTime(exactText: text) else { throw wrong(name, "is no time") }
    return time
  }

  func state<State: RawRepresentable>(_ name: String, _ type: State.Type) throws(ImportError) -> State
  where State.RawValue == String {
    let word = try text(name)
    guard let state = State(rawValue: word) else { throw wrong(name, "is '\(word.prefix(40))', which is none") }
    return state
  }

  func error() throws(ImportError) -> RecordedError? {
    guard let code = try optionalText("error_code") else { return nil }
    return RecordedError(code: code, message: try optionalText("error") ?? "")
  }

  func result(of run: RunID) throws(ImportError) -> RecordedResult {
    if let path = try file("result_file", of: nil) {
      return .file(path: path, size: Int64(try count("result_size", atMost: .max)))
    }
    return object["result"].map { .inline($0.text) } ?? .none
  }

  /// A file of a run: `runs/<id>/<name>` and nothing else, since readers open it. Of any run if `run` is nil: results are taken over.
  func file(_ name: String, of run: RunID?) throws(ImportError) -> String? {
    guard let path = try optionalText(name) else { return nil }
    guard let file = RunFilePath(path), run == nil || run == file.run else {
      throw wrong(name, "is no file of the run")
    }
    return path
  }
}
