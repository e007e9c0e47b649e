import OperatingSystem
import Operations

/// The reason that a part of the system cannot be observed.
public enum ObserverError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The system lacks the feature: the kernel does not have it, or hides it from this process.
  case unavailable(String)
  /// A system call failed with this error number.
  case systemCall(String, Int32)

  /// The identifier of this error in messages and filters.
  public var code: String {
    switch self {
    case .unavailable: "observer-unavailable"
    case .systemCall: "observer-system-call"
    }
  }

  /// The error message.
  public var description: String {
    switch self {
    case .unavailable(let what): "\(what) is not available on this system"
    case .systemCall(let call, let error): "\(call) failed: \(SystemError.text(of: error))"
    }
  }
}
