/// A network status and the times at which it last crossed each threshold.
package struct NetworkStatusHistory: Sendable {
  /// The current status.
  package private(set) var status: NetworkConnectionStatus
  private var requiresConnectionCrossedAt: Timestamp?
  private var connectedCrossedAt: Timestamp?

  /// Creates a history about whose past nothing is known.
  package init(_ status: NetworkConnectionStatus) {
    self.status = status
  }

  /// Sets the status.
  ///
  /// - Returns: Whether it changed.
  package mutating func take(_ newStatus: NetworkConnectionStatus, at time: @autoclosure () -> Timestamp) -> Bool {
    guard newStatus != status else { return false }
    let now = time()
    if crosses(.requiresConnection, newStatus) { requiresConnectionCrossedAt = now }
    if crosses(.connected, newStatus) { connectedCrossedAt = now }
    status = newStatus
    return true
  }

  /// Returns the time at which the status last rose to `threshold` or fell below it, or nil if that is unknown or never happens.
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
