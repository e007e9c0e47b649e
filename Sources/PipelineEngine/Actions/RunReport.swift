import Crypto
import HTTPOperations
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values

/// How a run has ended, in the form that `notify` sends.
///
/// Its members have the names and units of the public views; handlers, which are still running, are not included. Secrets are masked as they are in
/// the history.
struct RunReport {
  /// `run`: the run, with the outcome of its operations.
  var run: OrderedDictionary<String, JSONValue>
  /// `operations`: one object each, in the order of the file.
  var operations: [JSONValue]
  /// `results` by operation; nil if they are not to be sent.
  var results: OrderedDictionary<String, JSONValue>?
  /// The operations whose result is too large to be sent.
  var omitted: [String] = []
  /// The same for every attempt of one handler of one run, so that the receiver accepts the report only once.
  var idempotencyKey: String
  /// The message for people if the file has no `message`.
  var text: String

  /// Results larger than this as JSON, in bytes, are omitted.
  static let resultLimit = 64 << 10

  /// Returns the report. `text` comes first: chat services show it, and ignore the rest.
  func jsonValue(text: String) -> JSONValue {
    var members: OrderedDictionary<String, JSONValue> = [
      "text": .string(text), "run": .object(run), "operations": .array(operations),
    ]
    if let results { members["results"] = .object(results) }
    if !omitted.isEmpty { members["omitted"] = .array(omitted.map { .string($0) }) }
    return .object(members)
  }

  /// Returns `sha256=` followed by the HMAC-SHA256 of a body in hexadecimal.
  static func signature(of body: [UInt8], key: String) -> String {
    "sha256=" + HMAC<SHA256>.authenticationCode(for: body, using: SymmetricKey(data: Array(key.utf8))).hexadecimal
  }
}

extension RunReport {
  /// Creates the report that a handler sends.
  init(of run: Run, for action: HTTPAction, _ contexts: RunContexts) {
    let known = run.state.times.outcome
    let (outcome, reason) = (known?.end.state ?? .running, known?.end.reason?.text)
    let ended = known?.at ?? run.recorder.end(of: run.state.times.startedAt, run.state.times.started)
    var members: OrderedDictionary<String, JSONValue> = [
      "id": .string(run.state.id.text), "pipeline": .string(run.state.pipeline.name),
      "state": .string(outcome.rawValue),
    ]
    if let reason { members["reason"] = .string(reason) }
    members["trigger"] = .string(run.options.trigger.rawValue)
    members["started_at"] = .string(run.state.times.startedAt.text)
    members["ended_at"] = .string(ended.text)
    members["duration_ms"] = .double(Double(ended.microseconds - run.state.times.startedAt.microseconds) / 1000)
    members["host"] = .string(run.services.configuration.hostName)
    members["user"] = .string(run.services.configuration.user)
    let handler = contexts.ordinal.map { run.state.instances[$0].name } ?? ""
    self.init(
      run: members, operations: [], idempotencyKey: "\(run.state.id.text)-\(handler)",
      text: "\(run.state.pipeline.name) \(outcome.rawValue)"
        + (reason.map { ": \($0)" } ?? "") + " (run \(run.state.id.text))")
    guard case .report(_, let sendsResults) = action.body else { return }
    if sendsResults { results = [:] }
    for position in run.state.pipeline.operations.indices {
      let record = run.recorder.operationRecord(position)
      operations.append(Self.reported(record))
      guard sendsResults, case .inline(let text) = record.result else {
        if sendsResults, case .file = record.result { omitted.append(record.name) }
        continue
      }
      if text.utf8.count > Self.resultLimit {
        omitted.append(record.name)
      } else {
        results?[record.name] = run.state.given.masker.mask(JSONValue(recorded: text))
      }
    }
  }

  private static func reported(_ record: OperationRecord) -> JSONValue {
    var members: OrderedDictionary<String, JSONValue> = [
      "operation": .string(record.name), "state": .string(record.state.rawValue),
    ]
    if let reason = record.reason { members["reason"] = .string(reason) }
    if let error = record.error {
      members["error_code"] = .string(error.code)
      members["error"] = .string(error.message)
    }
    members["attempts"] = .int(Int64(record.attempts))
    if let started = record.startedAt, let ended = record.endedAt {
      members["duration_ms"] = .double(Double(ended.microseconds - started.microseconds) / 1000)
    }
    return .object(members)
  }
}
