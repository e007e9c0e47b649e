import OrderedCollections

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

  init(code: String, message: String, exitCode: Int32? = nil, signal: Int32? = nil) {
    self.code = code
    self.message = message
    self.exitCode = exitCode
    self.signal = signal
  }

  /// As `errors.<name>`.
  func jsonValue(attempts: Int) -> JSONValue {
    var members: OrderedDictionary<String, JSONValue> = ["code": .string(code), "message": .string(message)]
    if let exitCode { members["exit_code"] = .int(Int64(exitCode)) }
    if let signal { members["signal"] = .string(SignalName.name(of: signal)) }
    members["attempts"] = .int(Int64(attempts))
    return .object(members)
  }
}

extension OperationFailure: CustomStringConvertible {
  public var description: String { message }
}

/// The names of signals.
public enum SignalName {
  private static let names: [(String, Int32)] = [
    ("SIGHUP", 1), ("SIGINT", 2), ("SIGQUIT", 3), ("SIGILL", 4), ("SIGTRAP", 5), ("SIGABRT", 6), ("SIGBUS", 7), ("SIGFPE", 8),
    ("SIGKILL", 9), ("SIGUSR1", 10), ("SIGSEGV", 11), ("SIGUSR2", 12), ("SIGPIPE", 13), ("SIGALRM", 14), ("SIGTERM", 15),
    ("SIGXCPU", 24), ("SIGXFSZ", 25), ("SIGSYS", 31),
  ]

  /// The name of a signal's number, such as `SIGKILL` for 9.
  public static func name(of number: Int32) -> String {
    names.first { $0.1 == number }?.0 ?? "signal \(number)"
  }
}
