/// Whether a network is there. See ``OperationRunSpecification/connected(to:)``.
public struct ConnectedRunSpecification<Observer: NetworkObserver>: OperationRunSpecification {
  /// Knows the network.
  public let observer: Observer

  /// Follows `observer`.
  public init(to observer: Observer) {
    self.observer = observer
  }

  /// Whether the status is at least the context's `operationSatisfiedConnectionStatus`.
  public func isSatisfied(in context: OperationContext) -> Bool {
    observer.currentStatus >= context.operationSatisfiedConnectionStatus
  }

  /// Subscribes to the observer.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    observer.subscribe { _ in onChange() }
  }

  /// `connected`, or `requires connection` or `disconnected` in a context that is satisfied with that.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let threshold = context.operationSatisfiedConnectionStatus
    return SpecificationDescription(
      name: threshold == .connected ? "connected" : "connected(\(threshold))", isSatisfied: isSatisfied(in: context),
      changedAt: observer.statusChangedAt(crossing: threshold), in: context)
  }
}

extension OperationRunSpecification {
  /// Satisfied while the network that `observer` knows is at least as well connected as the context's
  /// `operationSatisfiedConnectionStatus` asks for.
  public static func connected<Observer: NetworkObserver>(
    to observer: Observer
  ) -> Self where Self == ConnectedRunSpecification<Observer> {
    ConnectedRunSpecification(to: observer)
  }
}

extension OperationContext {
  private enum SatisfiedConnectionStatusKey: Key {
    static let defaultValue = NetworkConnectionStatus.connected
  }

  /// The worst status with which `.connected(to:)` is satisfied. `.connected` by default; with `.disconnected` it always
  /// is.
  public var operationSatisfiedConnectionStatus: NetworkConnectionStatus {
    get { self[SatisfiedConnectionStatusKey.self] }
    set { self[SatisfiedConnectionStatusKey.self] = newValue }
  }
}

extension OperationRequest {
  /// Lets `.connected(to:)` be satisfied with `status` and better.
  public func satisfiedConnectionStatus(
    _ status: NetworkConnectionStatus
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationSatisfiedConnectionStatus = status }
  }
}
