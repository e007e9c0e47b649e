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
  /// What happened, and what to do next where that can be said.
  public var message: String
  /// The exit code of the process, when that is what failed.
  public var exitCode: Int32?
  /// The signal that ended the process.
  public var signal: Int32?
  /// How long to wait before another attempt, where who failed has told that.
  public var retryAfter: Duration?
  /// The status of the response, when that is what failed.
  public var httpStatus: Int?
  /// Whether the message is made of the engine's own words and of names of the file alone, so that no secret can be in it, however short one is.
  var isOwnWords = false
  /// Why another attempt makes no sense; nil where that is not known.
  var stopReason: String?
  /// Whom a request was for that is worth another try.
  var httpEndpoint: HTTPEndpoint?
  /// What the engine itself ran into, when neither the operation nor its process is to blame.
  var engineError: EngineError?

  init(code: String, message: String, exitCode: Int32? = nil, signal: Int32? = nil) {
    self.code = code
    self.message = message
    self.exitCode = exitCode
    self.signal = signal
  }

  /// A failure whose message has nothing in it that came from outside.
  init(code: String, ownWords message: String, exitCode: Int32? = nil, signal: Int32? = nil) {
    self.init(code: code, message: message, exitCode: exitCode, signal: signal)
    isOwnWords = true
  }

  /// What was recorded of a failure, with what is known of its attempt.
  init(_ error: RecordedError, of attempt: AttemptRecord?) {
    self.init(
      code: error.code, message: error.message, exitCode: attempt?.exitCode.map { Int32(clamping: $0) },
      signal: attempt?.signal.map { Int32(clamping: $0) })
  }

  /// What a plugin told of its failure, or what happened to it.
  init(_ failure: PluginFailure) {
    self.init(code: failure.code, message: failure.message)
    retryAfter = failure.retryAfter
  }

  /// As `errors.<name>`.
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
