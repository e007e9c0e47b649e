extension OperationStore {
  typealias Handlers = HandlerTable<OperationEventHandler<State>>

  /// Changes what the lock guards, and then tells what has happened.
  @inline(__always)
  func change<Value>(_ body: () -> Value) -> Value {
    lock.beginChange()
    let value = body()
    let mustDeliver = !events.isEmpty && !isDelivering
    lock.end()
    if mustDeliver { deliver() }
    return value
  }

  /// Looks at what the lock guards.
  @inline(__always)
  func look<Value>(_ body: () -> Value) -> Value {
    lock.beginReading()
    let value = body()
    lock.end()
    return value
  }

  // MARK: - Under the lock

  func noteState(_ context: OperationContext) {
    guard !handlers.isEmpty else { return }
    events.append(.state(guardedState, context, handlers.snapshot))
  }

  func noteStart(of run: Run) {
    guard !handlers.isEmpty else { return }
    noteState(run.context)
    events.append(.runStarted(run.context, handlers.snapshot))
  }

  func noteResult(
    _ result: Result<State.OperationValue, State.Failure>, _ reason: OperationResultUpdateReason,
    _ context: OperationContext
  ) {
    guard !handlers.isEmpty else { return }
    events.append(.result(result, reason, context, handlers.snapshot))
    if reason == .returnedFinalResult { events.append(.runEnded(context, handlers.snapshot)) }
  }

  // MARK: - Under no lock

  /// Tells events until there are none left, unless a thread is at it already or this one is in an exclusive section.
  func deliver() {
    guard !lock.isExclusiveHere else { return }
    var isFirst = true
    while true {
      let events: [OperationStoreEvent<State>] = look {
        if isFirst, isDelivering { return [] }
        isDelivering = !self.events.isEmpty
        defer { self.events = [] }
        return self.events
      }
      guard !events.isEmpty else { return }
      isFirst = false
      for event in events {
        if case .removal(let id) = event {
          _ = look { handlers.remove(id) }
        } else {
          event.deliver()
        }
      }
    }
  }
}
