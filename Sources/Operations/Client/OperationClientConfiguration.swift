/// The defaults that a client adds to the requests of its stores, unless a request chooses otherwise.
///
/// ```swift
/// OperationClient(configuration: .testing)   // no retries, no waits, nothing observed
/// ```
public struct OperationClientConfiguration: Sendable {
  /// The maximum number of retries of a failed run. 3 by default.
  public var retryLimit: Int
  /// The delay before each retry; nil, the default, uses that of the default context.
  public var backoff: OperationBackoff?
  /// The delayer that performs the delays; nil, the default, uses that of the default context.
  public var delayer: (any OperationDelayer)?
  /// When queries and paginated requests may run automatically. Always, by default. Mutations never do.
  public var automaticRunning: any OperationRunSpecification
  /// A specification that reruns queries and paginated requests when it becomes true, as in
  /// ``StatefulOperationRequest/rerunOnChange(of:)``; nil, the default, disables this. See ``observing(network:activity:)``.
  public var rerun: (any OperationRunSpecification)?
  /// Whether overlapping runs of a query, and those of a paginated request that fetch the same pages, share one
  /// execution. True by default.
  public var deduplicates: Bool

  /// Creates a configuration; by default one that retries three times, runs automatically, deduplicates and observes nothing.
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

  /// A configuration for tests, which does not retry, wait or observe anything.
  public static var testing: OperationClientConfiguration {
    OperationClientConfiguration(retryLimit: 0, backoff: OperationBackoff.none, delayer: ImmediateDelayer())
  }

  /// Returns the same configuration with reruns each time the network is connected and the application is active after
  /// not having been both. An observer that is not given is ignored; without any, nothing is observed.
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

/// A delayer that does not wait.
private struct ImmediateDelayer: OperationDelayer {
  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try Task.checkCancellation()
  }
}
