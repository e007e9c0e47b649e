/// A network status, and when it last crossed each threshold.
package struct NetworkStatusHistory: Sendable {
  /// The status now.
  package private(set) var status: NetworkConnectionStatus
  private var requiresConnectionCrossedAt: Timestamp?
  private var connectedCrossedAt: Timestamp?

  /// Nothing is known of the time before.
  package init(_ status: NetworkConnectionStatus) {
    self.status = status
  }

  /// Takes over a status.
  ///
  /// - Returns: Whether it differs from the one before.
  package mutating func take(_ newStatus: NetworkConnectionStatus, at time: @autoclosure () -> Timestamp) -> Bool {
    guard newStatus != status else { return false }
    let now = time()
    if crosses(.requiresConnection, newStatus) { requiresConnectionCrossedAt = now }
    if crosses(.connected, newStatus) { connectedCrossedAt = now }
    status = newStatus
    return true
  }

  /// When the status last rose to `threshold`, or fell below it; nil where that is not known, or never happens.
  package func changedAt(crossing threshold: NetworkConnectionStatus) -> Timestamp? {
    switch threshold {
    case .disconnected: nil
    case .requiresConnection: requiresConnectionCrossedAt
    case .connected: connectedCrossedAt
    }
  }

  private func crosses(_ threshold: NetworkConnectionStatus, _ newStatus: NetworkConnectionStatus) -> Bool {
    (status >= threshold) != (newStatus >= threshold)
  }
}
