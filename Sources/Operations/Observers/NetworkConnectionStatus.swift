/// How well this computer is connected to a network, worst first.
public enum NetworkConnectionStatus: Int, Comparable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// No link can carry traffic to another computer.
  case disconnected
  /// There is a link, but something is missing to reach other networks: an address, a route or a login.
  case requiresConnection
  /// Other networks can be addressed. Whether anything there responds is not known.
  case connected

  /// The order of the cases.
  public static func < (lhs: NetworkConnectionStatus, rhs: NetworkConnectionStatus) -> Bool {
    lhs.rawValue < rhs.rawValue
  }

  /// A description for people.
  public var description: String {
    switch self {
    case .disconnected: "disconnected"
    case .requiresConnection: "requires connection"
    case .connected: "connected"
    }
  }
}
