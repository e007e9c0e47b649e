/// What a client adds to the requests of its stores, unless they choose otherwise themselves.
///
/// ```swift
/// OperationClient(configuration: .testing)   // no retries, no waits, nothing observed
/// ```
public struct OperationClientConfiguration: Sendable {
  /// How often a failed run is tried again. 3 by default.
  public var retryLimit: Int
  /// How long to wait before each retry; nil, the default, leaves it to the default context.
  public var backoff: OperationBackoff?
  /// What lets the waits pass; nil, the default, leaves it to the default context.
  public var delayer: (any OperationDelayer)?
  /// When queries and paginated requests may run without being asked to. Always, by default. Mutations never do.
  public var automaticRunning: any OperationRunSpecification
  /// What makes queries and paginated requests run again when it turns true, as
  /// ``StatefulOperationRequest/rerunOnChange(of:)`` does; nil, the default, is nothing. See ``observing(network:activity:)``.
  public var rerun: (any OperationRunSpecification)?
  /// Whether overlapping runs of a query, and those of a paginated request that fetch the same, share one execution.
  /// True by default.
  public var deduplicates: Bool

  /// A configuration; by default one that retries three times, runs automatically, deduplicates and observes nothing.
  public init(
    retryLimit: Int = 3, backoff: OperationBackoff? = nil, delayer: (any OperationDelayer)? = nil,
    automaticRunning: some OperationRunSpecification = .always(true), rerun: (any OperationRunSpecification)? = nil,
    deduplicates: Bool = true
  ) {
    self.retryLimit = retryLimit
    self.backoff = backoff
    self.delayer = delayer
    self.automaticRunning = automaticRunning
    self.rerun = rerun
    self.deduplicates = deduplicates
  }

  /// For tests: nothing is tried again, nothing is waited for, nothing is observed.
  public static var testing: OperationClientConfiguration {
    OperationClientConfiguration(retryLimit: 0, backoff: OperationBackoff.none, delayer: ImmediateDelayer())
  }

  /// The same configuration, with reruns when the network is there and the application is active, of which one turned
  /// so just now. An observer that is not given does not count; without any, nothing is observed.
  public func observing(
    network: (any NetworkObserver)? = nil, activity: (any ApplicationActivityObserver)? = nil
  ) -> OperationClientConfiguration {
    var configuration = self
    let connected = network.map { AnyOperationRunSpecification(connectedTo: $0) }
    let active = activity.map { AnyOperationRunSpecification(activeBy: $0) }
    configuration.rerun =
      switch (connected, active) {
      case (let connected?, let active?): connected && active
      default: connected ?? active
      }
    return configuration
  }
}

extension AnyOperationRunSpecification {
  fileprivate init(connectedTo observer: some NetworkObserver) {
    self.init(ConnectedRunSpecification(to: observer))
  }

  fileprivate init(activeBy observer: some ApplicationActivityObserver) {
    self.init(ApplicationIsActiveRunSpecification(observer: observer))
  }
}

/// Lets all time pass at once.
private struct ImmediateDelayer: OperationDelayer {
  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try Task.checkCancellation()
  }
}
