extension OperationStore {
  typealias Handlers = HandlerTable<OperationEventHandler<State>>

  /// Makes a change under the lock, and then delivers the events.
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

  /// Reads under the lock.
  @inlinable
  @inline(__always)
  func look<Value>(_ body: () -> Value) -> Value {
    lock.beginReading()
    let value = body()
    lock.end()
    return value
  }

  // MARK: - With the lock held

  /// Adds a handler.
  func insert(_ handler: OperationEventHandler<State>) -> Handlers.ID {
    hasHandlers = true
    return handlers.insert(handler)
  }

  /// Removes a handler.
  ///
  /// - Returns: An object to be released without the lock held; nil if the handler was removed before.
  func remove(_ id: Handlers.ID) -> HandlerEntry<OperationEventHandler<State>>? {
    defer { hasHandlers = !handlers.isEmpty }
    return handlers.remove(id)
  }

  /// Adds an event to be delivered.
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

  // MARK: - Without the lock held

  /// Delivers events until there are none left, unless a thread is already doing so or this one is in an exclusive
  /// section. Stops if another thread is in an exclusive section, which delivers the rest when its section ends.
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
