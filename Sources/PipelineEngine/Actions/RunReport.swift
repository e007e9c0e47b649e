import Crypto
import HTTPOperations
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values

/// How a run has ended, in the form that `notify` sends.
///
/// Its members have the names and units of the public views; handlers, which still run, are not in it. Secrets are masked
/// as they are in the history.
struct RunReport {
  /// `run`: the run, with the outcome of its operations.
  var run: OrderedDictionary<String, JSONValue>
  /// `operations`: one object each, in the order of the file.
  var operations: [JSONValue]
  /// `results` by operation; nil where they are not to be sent.
  var results: OrderedDictionary<String, JSONValue>?
  /// The operations whose result is too large to be sent.
  var omitted: [String] = []
  /// The same for every attempt of one handler of one run, so that who listens takes the report once.
  var idempotencyKey: String
  /// What it says to people, where the file has no `message`.
  var text: String

  /// A result of more bytes as JSON is left out.
  static let resultLimit = 64 << 10

  /// The report. `text` comes first: chat services show it, and take no notice of the rest.
  func jsonValue(text: String) -> JSONValue {
    var members: OrderedDictionary<String, JSONValue> = [
      "text": .string(text), "run": .object(run), "operations": .array(operations),
    ]
    if let results { members["results"] = .object(results) }
    if !omitted.isEmpty { members["omitted"] = .array(omitted.map { .string($0) }) }
    return .object(members)
  }

  /// `sha256=` and the HMAC-SHA256 of a body, in hexadecimal.
  static func signature(of body: [UInt8], key: String) -> String {
    "sha256=" + HMAC<SHA256>.authenticationCode(for: body, using: SymmetricKey(data: Array(key.utf8))).hexadecimal
  }
}

extension RunEngine {
  /// The report that a handler sends.
  func runReport(_ action: HTTPAction, _ contexts: RunContexts) -> RunReport {
    let (outcome, reason, ended) =
      state.times.outcome ?? (.running, nil, recorder.end(of: state.times.startedAt, state.times.started))
    var run: OrderedDictionary<String, JSONValue> = [
      "id": .string(state.id.text), "pipeline": .string(state.pipeline.name), "state": .string(outcome.rawValue),
    ]
    if let reason { run["reason"] = .string(reason) }
    run["trigger"] = .string(options.trigger.rawValue)
    run["started_at"] = .string(state.times.startedAt.text)
    run["ended_at"] = .string(ended.text)
    run["duration_ms"] = .double(Double(ended.microseconds - state.times.startedAt.microseconds) / 1000)
    run["host"] = .string(services.configuration.hostName)
    run["user"] = .string(services.configuration.user)
    let handler = contexts.ordinal.map { state.instances[$0].name } ?? ""
    var report = RunReport(
      run: run, operations: [], idempotencyKey: "\(state.id.text)-\(handler)",
      text: "\(state.pipeline.name) \(outcome.rawValue)"
        + (reason.map { ": \($0)" } ?? "") + " (run \(state.id.text))")
    guard case .report(_, let sendsResults) = action.body else { return report }
    if sendsResults { report.results = [:] }
    for position in state.pipeline.operations.indices {
      let record = recorder.operationRecord(position)
      report.operations.append(Self.reported(record))
      guard sendsResults, case .inline(let text) = record.result else {
        if sendsResults, case .file = record.result { report.omitted.append(record.name) }
        continue
      }
      if text.utf8.count > RunReport.resultLimit {
        report.omitted.append(record.name)
      } else {
        report.results?[record.name] = state.given.masker.mask(JSONValue(recorded: text))
      }
    }
    return report
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
