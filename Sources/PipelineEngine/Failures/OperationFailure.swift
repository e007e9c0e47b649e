import HTTPOperations
import Operations
import OrderedCollections
import PipelineLanguage
import PluginHost
import RunHistory
import Values

/// Why an operation failed or was cancelled, in the form that is recorded and that `errors.<name>` shows.
public struct OperationFailure: Error, Sendable, Hashable {
  /// A stable, kebab-case identifier, such as `exit`, `signal`, `timeout`, `result-mismatch`.
  public var code: String
  /// What happened, and what to do next if that is known.
  public var message: String
  /// The exit code of the process, if that is the failure.
  public var exitCode: Int32?
  /// The signal that ended the process.
  public var signal: Int32?
  /// How long to wait before another attempt, if the failure specifies it.
  public var retryAfter: Duration?
  /// The status of the response, if that is the failure.
  public var httpStatus: Int?
  /// Whether the message consists only of the engine's own words and names from the file, so that it cannot contain a secret, however short.
  var isOwnWords = false
  /// Why another attempt makes no sense; nil if unknown.
  var stopReason: String?
  /// Whether another attempt makes no sense even if `retry.on` names the code.
  var isFinal = false
  /// The endpoint of a request that is worth retrying.
  var httpEndpoint: HTTPEndpoint?
  /// The engine's own error, if neither the operation nor its process is to blame.
  var engineError: EngineError?

  init(code: String, message: String, exitCode: Int32? = nil, signal: Int32? = nil) {
    self.code = code
    self.message = message
    self.exitCode = exitCode
    self.signal = signal
  }

  /// Creates a failure whose message contains nothing from outside.
  init(code: String, ownWords message: String, exitCode: Int32? = nil, signal: Int32? = nil) {
    self.init(code: code, message: message, exitCode: exitCode, signal: signal)
    isOwnWords = true
  }

  /// Creates a failure from its record, with what is known of its attempt.
  init(_ error: RecordedError, of attempt: AttemptRecord?) {
    self.init(
      code: error.code, message: error.message, exitCode: attempt?.exitCode.map { Int32(clamping: $0) },
      signal: attempt?.signal.map { Int32(clamping: $0) })
  }

  /// Creates a failure from a plugin's report, or from what happened to the plugin.
  init(_ failure: PluginFailure) {
    self.init(code: failure.code, message: failure.message)
    retryAfter = failure.retryAfter
  }

  /// Returns the failure as `errors.<name>`.
  func jsonValue(attempts: Int) -> JSONValue {
    var members: OrderedDictionary<String, JSONValue> = ["code": .string(code), "message": .string(message)]
    if let exitCode { members["exit_code"] = .int(Int64(exitCode)) }
    if let signal { members["signal"] = .string(SignalName.name(of: signal)) }
    if let httpStatus { members["status"] = .int(Int64(httpStatus)) }
    members["attempts"] = .int(Int64(attempts))
    return .object(members)
  }
}

extension OperationFailure: RetryHinting {}

extension OperationFailure: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
