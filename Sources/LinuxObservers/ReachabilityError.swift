import Operations

/// The reason that a host was not reached, for failures that no system call reports.
public enum ReachabilityError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The lookup of the name failed, with the resolver's message.
  case lookup(String, String)
  /// The name has no address.
  case noAddress(String)

  /// The error message.
  public var description: String {
    switch self {
    case .lookup(let host, let message): "the address of \(host) is not known: \(message)"
    case .noAddress(let host): "\(host) has no address"
    }
  }
}
