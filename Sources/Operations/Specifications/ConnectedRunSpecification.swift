/// Whether a network is connected. See ``OperationRunSpecification/connected(to:)``.
public struct ConnectedRunSpecification<Observer: NetworkObserver>: OperationRunSpecification {
  /// The observer of the network.
  public let observer: Observer

  /// Creates a specification that follows `observer`.
  public init(to observer: Observer) {
    self.observer = observer
  }

  /// Returns whether the status is at least the context's `operationSatisfiedConnectionStatus`.
  public func isSatisfied(in context: OperationContext) -> Bool {
    observer.currentStatus >= context.operationSatisfiedConnectionStatus
  }

  /// Subscribes to the observer.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    observer.subscribe { _ in onChange() }
  }

  /// Returns `connected`, with the required status in parentheses if the context sets a lower one.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let threshold = context.operationSatisfiedConnectionStatus
    return SpecificationDescription(
      name: threshold == .connected ? "connected" : "connected(\(threshold))", isSatisfied: isSatisfied(in: context),
      changedAt: observer.statusChangedAt(crossing: threshold), in: context)
  }
}

extension OperationRunSpecification {
  /// Satisfied while the network observed by `observer` is at least as well connected as the context's
  /// `operationSatisfiedConnectionStatus`.
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

  /// The worst status that satisfies `.connected(to:)`. `.connected` by default; with `.disconnected` it is always
  /// satisfied.
  public var operationSatisfiedConnectionStatus: NetworkConnectionStatus {
    get { self[SatisfiedConnectionStatusKey.self] }
    set { self[SatisfiedConnectionStatusKey.self] = newValue }
  }
}

extension OperationRequest {
  /// Lets `status` or better satisfy `.connected(to:)`.
  public func satisfiedConnectionStatus(
    _ status: NetworkConnectionStatus
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationSatisfiedConnectionStatus = status }
  }
}
