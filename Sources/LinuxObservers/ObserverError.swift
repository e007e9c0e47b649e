import OperatingSystem
import Operations

/// Why something of the system cannot be observed.
public enum ObserverError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The system has no such thing: a kernel without it, or one that hides it from this process.
  case unavailable(String)
  /// A system call failed, with this error number.
  case systemCall(String, Int32)

  /// Names this failure in messages and filters.
  public var code: String {
    switch self {
    case .unavailable: "observer-unavailable"
    case .systemCall: "observer-system-call"
    }
  }

  /// The failure, for people.
  public var description: String {
    switch self {
    case .unavailable(let what): "\(what) is not available on this system"
    case .systemCall(let call, let error): "\(call) failed: \(SystemError.text(of: error))"
    }
  }
}
