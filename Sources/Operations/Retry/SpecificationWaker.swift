/// Brings a waiting retry forward when a specification turns true: when the network is back, or a file is there.
///
/// Only a turn counts. A specification that is satisfied when the wait begins brings nothing forward, or it would wake
/// every retry at once.
public struct SpecificationWaker: RetryWaker {
  /// Identifies the waker in history and messages.
  public let name: String
  /// What is watched while a retry waits.
  public let specification: AnyOperationRunSpecification
  private let context: OperationContext

  /// Creates a waker.
  ///
  /// - Parameters:
  ///   - specification: What is watched while a retry waits.
  ///   - context: What the specification is asked in. Default: one with nothing set.
  ///   - name: How messages call the waker. Default: the specification's own formula.
  public init(
    _ specification: some OperationRunSpecification, in context: OperationContext = OperationContext(),
    name: String? = nil
  ) {
    self.specification = AnyOperationRunSpecification(specification)
    self.context = context
    self.name = name ?? specification.description(in: context).formula
  }

  /// Watches the specification while a retry waits.
  public func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    let follower = SpecificationFollower { [specification, context] in
      specification.isSatisfied(in: context)
    } onTurn: { isSatisfied in
      if isSatisfied { onWake() }
    }
    follower.look()
    let subscription = specification.subscribe(in: context) { follower.look() }
    // A turn between the first look and the subscription would be lost otherwise.
    follower.look()
    return subscription
  }
}
