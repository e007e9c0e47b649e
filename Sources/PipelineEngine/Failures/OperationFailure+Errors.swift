import Expressions
import Operations
import RunHistory
import Values
import Workspace

extension OperationFailure {
  /// Returns the failure of an operation that takes more of a resource than the capacity, and would wait indefinitely.
  static func capacityExceeded(_ amount: Int, of resource: String, host: String, has capacity: Int) -> Self {
    OperationFailure(
      code: "capacity-exceeded",
      message:
        "needs \(amount) of the resource '\(resource)', but \(host) has only \(capacity); lower 'resources' of the operation, or raise '\(resource)' in the configuration of the host"
    )
  }

  /// Converts any error that ends an attempt to the form that is recorded.
  init(_ error: any Error) {
    switch error {
    case let failure as OperationFailure: self = failure
    case let error as OperationTimeoutError:
      self.init(
        code: "timeout", ownWords: "did not end within its timeout of \(DurationNotation.format(error.duration))")
    case let error as RetryDeadlineError:
      self.init(
        code: error.code,
        ownWords: "no attempt succeeded within the deadline of \(DurationNotation.format(error.deadline))")
    case let error as ExpressionError:
      // An expression that needs an unreadable result is not itself wrong.
      self.init(code: error.code.hasPrefix("result-") ? error.code : "expression", message: error.message)
    case let error as EngineError:
      self.init(code: error.code, message: error.description)
      engineError = error.isExhaustion ? error : nil
    case let error as RepeatLimitReachedError: self.init(code: error.code, ownWords: error.description)
    case let error as WorkspaceError:
      self.init(code: "history", message: "\(error)")
      engineError = .history("\(error)")
    case is CancellationError: self.init(code: "cancelled", ownWords: "cancelled")
    default: self.init(code: "failed", message: "\(error)")
    }
  }
}
