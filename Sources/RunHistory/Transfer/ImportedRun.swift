import Expressions
import Values
import Workspace

/// Why a line is not an exported run.
public struct ImportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1; 0 as long as it is unknown.
  public var line = 0
  /// What is wrong, in one sentence without a full stop.
  public var message: String

  init(_ message: String) {
    self.message = message
  }

  /// `line 3: 'state' of the run must be a state, found 'fine'`.
  public var description: String { line > 0 ? "line \(line): \(message)" : message }
}

/// Parses a run as ``ExportedRun`` has written it. Nothing in it is trusted: names of files must be those that a run of that id has.
struct ImportedRun {
  private let object: JSONValue
  private(set) var whole: RecordedRun

  init(_ value: JSONValue) throws(ImportError) {
    object = value
    let run = try ImportedMembers(value, of: "the run")
    guard let id = RunID(try run.text("id")) else {
      throw run.wrong("id", mustBe: "the id of a run, twelve characters long", found: value["id"] ?? .null)
    }
    guard let source = try run.optionalText("source") else {
      throw ImportError(
        "'source' is missing; only files written by `penstock history export` of this version can be imported")
    }
    var record = RunRecord(
      id: id, pipeline: try run.text("pipeline"), definitionHash: try run.text("definition"),
      path: try run.optionalText("path"), params: (value["params"] ?? .object([:])).text,
      trigger: RunTrigger(rawValue: try run.text("trigger")), host: try run.text("host"), user: try run.text("user"),
      version: try run.text("version"),
      // Not a process of this computer: whatever the record says, nothing here executes it.
      owner: ProcessIdentity(boot: "", pid: 0, started: 0), state: try run.state("state", RunState.self),
      reason: try run.optionalText("reason"), createdAt: try run.time("created_at"),
      startedAt: try run.optionalTime("started_at"), endedAt: try run.end())
    if let parent = try run.optionalText("parent") {
      guard let parent = RunID(parent) else {
        throw run.wrong("parent", mustBe: "the id of a run, twelve characters long", found: .string(parent))
      }
      record.parent = RunRecord.Parent(
        run: parent, operation: try run.optionalText("parent_operation") ?? "",
        attempt: try run.optionalNumber("parent_attempt").flatMap { Int(exactly: $0) })
    }
    record.origin = RunOrigin(
      source: try run.optionalText("taken_over_from").flatMap { RunID($0) }, text: value["selection"]?.text)
    record.controller = try run.optionalText("controller")
    record.event = value["event"].flatMap { $0 == .null ? nil : $0.text }
    record.instant = try run.optionalTime("at")
    record.canceller = RunCanceller(
      who: try run.optionalText("cancelled_by"), means: try run.optionalText("cancelled_with"))
    record.labels = try Self.labels(value["labels"])
    let counts = try ImportedMembers(value["counts"] ?? .null, of: "'counts'")
    record.counts = RunCounts(
      operations: try counts.count("operations"), succeeded: try counts.count("succeeded"),
      failed: try counts.count("failed"), skipped: try counts.count("skipped"),
      cancelled: try counts.count("cancelled"), reused: try counts.count("reused"))
    // In a repaired history, definitions may be missing.
    let isLost = source.isEmpty && record.definitionHash.isEmpty
    guard isLost || record.definitionHash == ContentHash.of(source) else {
      throw ImportError("'definition' of the run is not the hash of its 'source'")
    }
    whole = RecordedRun(run: record, definition: source, operations: [], attempts: [], approvals: [])
    try readOperations(of: id)
    try readApprovals(of: id)
  }

  private static func labels(_ value: JSONValue?) throws(ImportError) -> [String: String] {
    guard let value, value != .null else { return [:] }
    guard let members = value.objectValue else {
      throw ImportError("'labels' of the run must be an object, found \(value.shown)")
    }
    var labels: [String: String] = [:]
    for (name, value) in members {
      guard LabelRule.allows(name: name) else {
        throw ImportError(
          "the name of a label of the run must be \(LabelRule.nameText), found \(JSONValue.string(name).shown)")
      }
      let label = "the label '\(name)' of the run"
      guard let text = value.stringValue else { throw ImportError("\(label) must be a string, found \(value.shown)") }
      if let problem = LabelRule.problem(withText: text) { throw ImportError("\(label) \(problem)") }
      labels[name] = text
    }
    return labels
  }

  private mutating func readOperations(of run: RunID) throws(ImportError) {
    guard let values = object["operations"]?.arrayValue else {
      throw ImportError("'operations' of the run must be a list, found \((object["operations"] ?? .null).shown)")
    }
    var ordinals: [String: Int] = [:]
    for value in values {
      let reader = try ImportedMembers(value, of: "an operation")
      ordinals[try reader.text("operation")] = try reader.count("ordinal", atMost: 0xffff_ffff)
    }
    for value in values {
      let name = try ImportedMembers(value, of: "an operation").text("operation")
      let reader = try ImportedMembers(value, of: "operation '\(name.prefix(100))'")
      let ordinal = try reader.count("ordinal", atMost: 0xffff_ffff)
      var record = OperationRecord(
        run: run, ordinal: ordinal, name: name, position: try reader.count("position"),
        state: try reader.state("state", OperationState.self))
      for member in ExportedMember<OperationRecord>.all { try member.read(reader, &record) }
      if let parent = try reader.optionalText("parent") {
        guard let ordinal = ordinals[parent] else {
          throw reader.wrong("parent", mustBe: "the name of an operation of the run", found: .string(parent))
        }
        record.parent = ordinal
      }
      whole.operations.append(record)
      for attempt in value["attempts"]?.arrayValue ?? [] {
        whole.attempts.append(try self.attempt(attempt, of: record))
      }
    }
  }

  private func attempt(_ value: JSONValue, of operation: OperationRecord) throws(ImportError) -> AttemptRecord {
    let reader = try ImportedMembers(value, of: "an attempt of '\(operation.name.prefix(100))'")
    var record = AttemptRecord(
      run: operation.run, ordinal: operation.ordinal, number: try reader.count("number", atLeast: 1),
      state: try reader.state("state", OperationState.self), startedAt: try reader.time("started_at"))
    for member in ExportedMember<AttemptRecord>.all { try member.read(reader, &record) }
    return record
  }

  private mutating func readApprovals(of run: RunID) throws(ImportError) {
    for value in object["approvals"]?.arrayValue ?? [] {
      let reader = try ImportedMembers(value, of: "an approval")
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
