import Operations

/// Why a host was not reached, where no system call says it.
public enum ReachabilityError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name has no address, or the question for it was not answered: what the resolver says.
  case lookup(String, String)
  /// The name has no address.
  case noAddress(String)

  /// The failure, for people.
  public var description: String {
    switch self {
    case .lookup(let host, let message): "the address of \(host) is not known: \(message)"
    case .noAddress(let host): "\(host) has no address"
    }
  }
}
