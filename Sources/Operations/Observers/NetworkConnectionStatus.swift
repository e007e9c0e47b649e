/// How well this machine is connected to a network, worst first.
public enum NetworkConnectionStatus: Int, Comparable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// No link can carry traffic to another machine.
  case disconnected
  /// A link is there, but something is missing before other networks can be reached: an address, a route, a log-in.
  case requiresConnection
  /// Other networks can be addressed. Nothing is said about whether anything answers.
  case connected

  /// The order of the cases.
  public static func < (lhs: NetworkConnectionStatus, rhs: NetworkConnectionStatus) -> Bool {
    lhs.rawValue < rhs.rawValue
  }

  /// The status, for people.
  public var description: String {
    switch self {
    case .disconnected: "disconnected"
    case .requiresConnection: "requires connection"
    case .connected: "connected"
    }
  }
}
