import Synchronization

/// An instance of a specification whose changes are reported to the host.
final class SpecificationInstance<Specification: OperationRunSpecification>: Instance {
  private struct Told: Equatable {
    var value: Bool?
    var reason: String
  }

  private struct State {
    var context: OperationContext?
    var subscription: OperationSubscription?
    var told: Told?
    var isLooking = false
    var mustLookAgain = false
    var isStopped = false
  }

  private let link: InstanceLink
  private let specification: Specification
  private let state = Mutex(State())

  init(_ link: InstanceLink, _ specification: Specification) {
    self.link = link
    self.specification = specification
  }

  func start(_ input: JSONValue) {
    let context = OperationContext(link, input)
    state.withLock { $0.context = context }
    // Subscribe before reading: in the other order, a change in between would be lost.
    let subscription = specification.subscribe(in: context) { [weak self] in self?.look() }
    state.withLock { $0.subscription = subscription }
    look()
  }

  func stop(within time: Duration) {
    destroy()
    link.complete(nil)
  }

  func destroy() {
    let subscription = state.withLock { state in
      defer { state.subscription = nil }
      state.isStopped = true
      return state.subscription
    }
    subscription?.cancel()
  }

  func instants(in span: PlannedSpan, _ input: JSONValue) throws -> JSONValue? {
    guard let specification = specification as? any PredictableSpecification else { return nil }
    return try specification.instants(in: span, input: PluginInput(input))?.json(withValues: true)
  }

  /// Reports a new value to the host. One thread reads at a time; a change meanwhile makes it read again, so that the last value wins and reports
  /// are in order.
  private func look() {
    let begins = state.withLock { state in
      state.mustLookAgain = true
      defer { state.isLooking = true }
      return !state.isLooking
    }
    guard begins else { return }
    while let context = contextForAnotherLook() {
      if let deferred = specification as? any DeferredSpecification, !deferred.hasAnswer(in: context) { continue }
      let description = specification.description(in: context)
      let now = Told(value: description.value, reason: description.reason)
      let isNews = state.withLock { state in
        defer { state.told = now }
        return state.told != now && !state.isStopped
      }
      if isNews { link.host.changed(link.id, now.value, reason: now.reason) }
    }
  }

  private func contextForAnotherLook() -> OperationContext? {
    state.withLock { state in
      state.isLooking = state.mustLookAgain && !state.isStopped
      state.mustLookAgain = false
      return state.isLooking ? state.context : nil
    }
  }
}
