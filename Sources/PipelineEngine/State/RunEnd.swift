import RunHistory

/// How a run ends. A failure always has a reason; a cancellation has one if no person or process requested it.
enum RunEnd {
  case succeeded
  case failed(RunReason)
  case cancelled(RunReason? = nil)

  var state: RunState {
    switch self {
    case .succeeded: .succeeded
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }

  var reason: RunReason? {
    switch self {
    case .succeeded: nil
    case .failed(let reason): reason
    case .cancelled(let reason): reason
    }
  }
}
