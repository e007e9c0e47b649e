import CPluginKit

/// A link to the host for one instance: its calls are about that instance.
struct InstanceLink: Sendable {
  let host: HostConnection
  let id: InstanceHandle

  /// Ends the instance successfully.
  func complete(_ result: JSONValue?) {
    let status = host.complete(id, result)
    switch status {
    // An instance that no longer exists, or has ended, needs no other end.
    case .ok, .ended, .unknown, .unavailable: break
    case .tooLarge: fail(PluginProblem("result-too-large", "the result is larger than 16 MiB; write it to a file"))
    default: fail(PluginProblem("invalid-result", "the host rejected the result (status \(status))"))
    }
  }

  /// Ends the instance with a failure.
  func fail(_ problem: PluginProblem) {
    if host.fail(id, problem) == .tooLarge {
      _ = host.fail(id, PluginProblem(problem.code, String(problem.message.prefix(10_000))))
    }
  }

  /// Ends the instance with `result`.
  func end(with result: Result<JSONValue?, any Error>) {
    switch result {
    case .success(let value): complete(value)
    case .failure(let error): fail(PluginProblem(error))
    }
  }
}
