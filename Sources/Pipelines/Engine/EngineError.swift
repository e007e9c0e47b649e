import Glibc

/// Why the engine itself, rather than an operation, could not go on. A run that ends so has exit code 3.
public enum EngineError: Error, Sendable, Hashable {
  /// A system call failed: its name and the error number.
  case systemCall(String, Int32)
  /// A file or directory could not be made or written: its path and the error number.
  case file(String, Int32)
  /// A secret could not be read: its name and why.
  case secret(String, String)
  /// The history could not be read or written: what the workspace said.
  case history(String)

  /// Whether the computer is at a limit: other operations would fail for the same reason, so the run cannot go on.
  var isExhaustion: Bool {
    switch self {
    case .systemCall(_, let number), .file(_, let number):
      [EMFILE, ENFILE, ENOMEM, EAGAIN, ENOSPC, EDQUOT, EFBIG, EROFS, EIO].contains(number)
    case .history: true
    case .secret: false
    }
  }

  /// A stable, kebab-case identifier.
  public var code: String {
    switch self {
    case .systemCall: "system-call"
    case .file: "file"
    case .secret: "secret-unavailable"
    case .history: "history"
    }
  }
}

extension EngineError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .systemCall(let name, let number):
      return "\(name) failed: \(String(cString: strerror(number)))\(Self.hint(number))"
    case .file(let path, let number):
      return "cannot write '\(path)': \(String(cString: strerror(number)))\(Self.hint(number))"
    case .secret(let name, let reason):
      return "the secret '\(name)' cannot be read: \(reason)"
    case .history(let reason):
      return reason
    }
  }

  private static func hint(_ number: Int32) -> String {
    switch number {
    case EMFILE, ENFILE: "; raise the limit on open files (`ulimit -n`) or lower `concurrency`"
    case ENOSPC, EDQUOT, EFBIG: "; free some space, then `penstock retry` goes on from what is recorded"
    default: ""
    }
  }
}
