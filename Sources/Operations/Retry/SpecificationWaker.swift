/// Brings a waiting retry forward when a specification becomes true, for example when the network is back or a file exists.
///
/// Only a change has an effect. A specification that is already satisfied when the wait starts does not wake the retry; otherwise it would
/// wake every retry immediately.
public struct SpecificationWaker: RetryWaker {
  /// Identifies the waker in history and messages.
  public let name: String
  /// The specification watched while a retry waits.
  public let specification: AnyOperationRunSpecification
  private let context: OperationContext

  /// Creates a waker.
  ///
  /// - Parameters:
  ///   - specification: The specification watched while a retry waits.
  ///   - context: The context in which the specification is evaluated. Default: an empty one.
  ///   - name: The name of the waker in messages. Default: the text of the specification's condition.
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
    // A change between the first check and the subscription would be lost otherwise.
    follower.look()
    return subscription
  }
}
