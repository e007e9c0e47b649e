import Synchronization

/// An instance of a controller that runs until its subscription is cancelled.
final class SubscribedController: Instance {
  private let link: InstanceLink
  private let deadline = StopDeadline()
  private let begin: @Sendable (OperationContext) -> OperationSubscription
  private let predictable: (any PredictableController)?
  private let subscription = Mutex<OperationSubscription?>(nil)

  init(
    _ link: InstanceLink, _ predictable: (any PredictableController)?,
    _ begin: @escaping @Sendable (OperationContext) -> OperationSubscription
  ) {
    self.link = link
    self.predictable = predictable
    self.begin = begin
  }

  func start(_ input: JSONValue) {
    let subscription = begin(OperationContext(link, input, deadline))
    self.subscription.withLock { $0 = subscription }
  }

  func instants(in span: PlannedSpan, _ input: JSONValue) throws -> JSONValue? {
    try predictable?.instants(in: span, input: PluginInput(input))?.json(withValues: false)
  }

  func stop(within time: Duration) {
    deadline.set(time, link)
    destroy()
    link.complete(nil)
  }

  func destroy() {
    let subscription = subscription.withLock { subscription in
      defer { subscription = nil }
      return subscription
    }
    subscription?.cancel()
  }
}
