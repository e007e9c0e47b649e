/// What a store keeps behind its lock, and the rules for changing it. Calls nobody.
///
/// Invariant: while ``isDelivering`` is false there are no ``events``, except within an exclusive section.
struct OperationStoreCore<State: OperationState>: Sendable {
  typealias Handlers = HandlerTable<OperationEventHandler<State>>
  typealias Run = OperationStoreRun<State>

  var state: State
  var context: OperationContext
  var handlers = Handlers()
  /// How many of the handlers count as subscribers.
  var subscriberCount = 0
  /// What has happened and was not told yet, in order.
  var events: [OperationStoreEvent<State>] = []
  /// Whether a thread is telling events; it goes on until there are none left.
  var isDelivering = false
  /// The runs that others may join, oldest first.
  var leaders: [Run] = []
  /// The run that the first subscriber caused.
  var subscribersRun: Run?
  var controllers: [OperationSubscription] = []
  var hasControllers = false

  init(state: State, context: OperationContext) {
    self.state = state
    self.context = context
  }

  mutating func noteState(_ context: OperationContext) {
    guard !handlers.isEmpty else { return }
    events.append(.state(state, context, handlers.snapshot))
  }

  mutating func start(_ run: Run, at time: Timestamp) {
    state.schedule(run.task, at: time)
    guard !handlers.isEmpty else { return }
    noteState(run.context)
    events.append(.runStarted(run.context, handlers.snapshot))
  }

  mutating func take(
    _ result: Result<State.OperationValue, State.Failure>, of run: Run, using context: OperationContext,
    at time: Timestamp
  ) {
    if !handlers.isEmpty { events.append(.result(result, .yieldedResult, context, handlers.snapshot)) }
    guard let task = run.members.lazy.map(\.task).first(where: state.isActive) else { return }
    state.update(with: result, for: task, at: time)
    noteState(context)
  }

  mutating func end(
    _ run: Run, with result: Result<State.OperationValue, State.Failure>, at time: Timestamp, isFinal: Bool
  ) {
    if !handlers.isEmpty {
      events.append(.result(result, .returnedFinalResult, run.context, handlers.snapshot))
      events.append(.runEnded(run.context, handlers.snapshot))
    }
    if subscribersRun === run { subscribersRun = nil }
    let task = run.task
    guard state.isActive(task) else { return }
    if isFinal { state.update(with: result, for: task, at: time) }
    state.finish(task)
    noteState(run.context)
  }

  /// Takes `run` out of those that can be joined.
  mutating func close(_ run: Run) {
    guard let index = leaders.firstIndex(where: { $0 === run }) else { return }
    leaders.remove(at: index)
  }
}
