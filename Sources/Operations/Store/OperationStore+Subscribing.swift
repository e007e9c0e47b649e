extension OperationStore {
  /// Tells `handler` of all that happens, until the subscription ends.
  ///
  /// The handler gets the current state at once. Then, when it is the only subscriber, automatic running is enabled and
  /// the store is stale, a run starts. When the last subscriber leaves while that run goes on, the run is cancelled.
  public func subscribe(with handler: OperationEventHandler<State>) -> OperationSubscription {
    let (id, isFirst) = change { core in
      let id = core.handlers.insert(handler)
      core.subscriberCount += 1
      core.events.append(.state(core.state, core.context, core.handlers.snapshot(of: id)))
      return (id, core.subscriberCount == 1)
    }
    let subscription = OperationSubscription { [weak self] in self?.unsubscribe(id) }
    if isFirst, isAutomaticRunningEnabled, isStale { runForSubscribers() }
    return subscription
  }

  /// Tells `handler` of all that happens as long as the store lives or the subscription does, without counting as a
  /// subscriber.
  func observe(with handler: OperationEventHandler<State>) -> OperationSubscription {
    let id = change { $0.handlers.insert(handler) }
    return OperationSubscription { [weak self] in
      let released = self?.change { $0.handlers.remove(id) }
      _ = released
    }
  }

  private func unsubscribe(_ id: HandlerTable<OperationEventHandler<State>>.ID) {
    let (released, run) = change { core in
      let released = core.handlers.remove(id)
      if released != nil { core.subscriberCount -= 1 }
      return (released, core.subscriberCount == 0 ? core.subscribersRun : nil)
    }
    _ = released
    run?.cancel()
  }

  private func runForSubscribers() {
    guard let context = state.contextForRerun(context) else { return }
    let run = newRun(using: context)
    let starts = change { core in
      guard core.subscriberCount > 0 else { return false }
      core.subscribersRun = run
      return true
    }
    if starts { run.start() }
  }
}
