/// Whether the application is in the foreground. See ``OperationRunSpecification/applicationIsActive(observer:)``.
public struct ApplicationIsActiveRunSpecification<Observer: ApplicationActivityObserver>: OperationRunSpecification {
  /// The observer of the application.
  public let observer: Observer

  /// Creates a specification that follows `observer`.
  public init(observer: Observer) {
    self.observer = observer
  }

  /// Returns whether the application is active and the context lets operations depend on that.
  public func isSatisfied(in context: OperationContext) -> Bool {
    context.isOperationApplicationActiveRerunningEnabled && observer.isApplicationActive
  }

  /// Subscribes to the observer, unless the context does not let operations depend on it.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    guard context.isOperationApplicationActiveRerunningEnabled else { return .empty }
    let changes = IgnoringFirstCall(onChange)
    return observer.subscribe { _ in changes.call() }
  }

  /// Returns `foreground` and the reason for its value.
  public func description(in context: OperationContext) -> SpecificationDescription {
    guard context.isOperationApplicationActiveRerunningEnabled else {
      return SpecificationDescription(
        formula: "foreground", reason: "foreground is switched off", isSatisfied: false)
    }
    return SpecificationDescription(
      name: "foreground", isSatisfied: observer.isApplicationActive, changedAt: observer.activityChangedAt, in: context)
  }
}

extension OperationRunSpecification {
  /// Satisfied while the application observed by `observer` is active, unless the context's
  /// `isOperationApplicationActiveRerunningEnabled` is false.
  public static func applicationIsActive<Observer: ApplicationActivityObserver>(
    observer: Observer
  ) -> Self where Self == ApplicationIsActiveRunSpecification<Observer> {
    ApplicationIsActiveRunSpecification(observer: observer)
  }
}

extension OperationContext {
  private enum ApplicationActiveRerunningKey: Key {
    static let defaultValue = true
  }

  /// Whether operations are rerun when the application becomes active. True by default; if false,
  /// `.applicationIsActive(observer:)` is never satisfied.
  public var isOperationApplicationActiveRerunningEnabled: Bool {
    get { self[ApplicationActiveRerunningKey.self] }
    set { self[ApplicationActiveRerunningKey.self] = newValue }
  }
}

extension OperationRequest {
  /// Prevents the operation from being rerun when the application becomes active.
  public func disableApplicationActiveRerunning(
    _ isDisabled: Bool = true
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.isOperationApplicationActiveRerunningEnabled = !isDisabled }
  }
}
