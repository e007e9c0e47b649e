extension OperationStore {
  typealias Handlers = HandlerTable<OperationEventHandler<State>>

  /// Changes what the lock guards, and then tells what has happened.
  @inlinable
  @inline(__always)
  func change<Value>(_ body: () -> Value) -> Value {
    lock.beginChange()
    let value = body()
    let mustDeliver = hasEvents && !isDelivering
    lock.end()
    if mustDeliver { deliver() }
    return value
  }

  /// Looks at what the lock guards.
  @inlinable
  @inline(__always)
  func look<Value>(_ body: () -> Value) -> Value {
    lock.beginReading()
    let value = body()
    lock.end()
    return value
  }

  // MARK: - Under the lock

  /// Adds a handler.
  func insert(_ handler: OperationEventHandler<State>) -> Handlers.ID {
    hasHandlers = true
    return handlers.insert(handler)
  }

  /// Removes a handler.
  ///
  /// - Returns: What is to be released under no lock; nil when it was removed before.
  func remove(_ id: Handlers.ID) -> HandlerEntry<OperationEventHandler<State>>? {
    defer { hasHandlers = !handlers.isEmpty }
    return handlers.remove(id)
  }

  /// Adds an event that is to be told.
  func note(_ event: OperationStoreEvent<State>) {
    events.append(event)
    hasEvents = true
  }

  @usableFromInline
  func noteState(_ context: OperationContext) {
    guard hasHandlers else { return }
    note(.state(guardedState, context, handlers.snapshot))
  }

  @usableFromInline
  func noteStart(of run: Run) {
    guard hasHandlers else { return }
    noteState(run.context)
    note(.runStarted(run.context, handlers.snapshot))
  }

  @usableFromInline
  func noteResult(
    _ result: Result<State.OperationValue, State.Failure>, _ reason: OperationResultUpdateReason,
    _ context: OperationContext
  ) {
    guard hasHandlers else { return }
    note(.result(result, reason, context, handlers.snapshot))
    if reason == .returnedFinalResult { note(.runEnded(context, handlers.snapshot)) }
  }

  // MARK: - Under no lock

  /// Tells events until there are none left, unless a thread is at it already or this one is in an exclusive section.
  /// Stops when another one is: it tells what is left when its section is over.
  @usableFromInline
  func deliver() {
    guard !lock.isExclusiveHere else { return }
    var isFirst = true
    while true {
      let events: [OperationStoreEvent<State>] = look {
        if isFirst, isDelivering { return [] }
        guard !lock.isExclusiveElsewhere else {
          isDelivering = false
          return []
        }
        isDelivering = !self.events.isEmpty
        defer {
          self.events = []
          hasEvents = false
        }
        return self.events
      }
      guard !events.isEmpty else { return }
      isFirst = false
      for event in events {
        if case .removal(let id) = event {
          _ = look { remove(id) }
        } else {
          event.deliver()
        }
      }
    }
  }
}
