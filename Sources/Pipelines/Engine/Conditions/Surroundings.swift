import Operations

/// What a host observes of the computer it runs on, each begun when a condition first asks for it.
struct Surroundings: Sendable {
  /// Whether there is a network.
  var connected: @Sendable () -> AnyOperationRunSpecification = {
    AnyOperationRunSpecification(ConnectedRunSpecification(to: NetlinkObserver.shared))
  }
  /// Whether the host is in the foreground of its terminal.
  var activity: any ApplicationActivityObserver = HostActivity()
}
