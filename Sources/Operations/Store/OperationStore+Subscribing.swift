extension OperationStore {
  /// Tells `handler` of all that happens, until the subscription ends.
  ///
  /// The handler gets the current state at once. Then, when it is the only subscriber, automatic running is enabled and
  /// the store is stale, a run starts. When the last subscriber leaves while that run goes on, or one of
  /// ``StatefulOperationRequest/rerunOnChange(of:)``, the run is cancelled.
  public func subscribe(with handler: OperationEventHandler<State>) -> OperationSubscription {
    let (id, isFirst) = change {
      let id = insert(handler)
      guardedSubscriberCount += 1
      note(.state(guardedState, guardedContext, handlers.snapshot(of: id)))
      return (id, guardedSubscriberCount == 1)
    }
    let subscription = OperationSubscription { [weak self] in self?.unsubscribe(id) }
    if isFirst, isAutomaticRunningEnabled, isStale { runForSubscribers() }
    return subscription
  }

  /// Tells `handler` of all that happens as long as the store lives or the subscription does, without counting as a
  /// subscriber.
  func observe(with handler: OperationEventHandler<State>) -> OperationSubscription {
    let id = change { insert(handler) }
    return OperationSubscription { [weak self] in
      guard let self else { return }
      let released = change { remove(id) }
      _ = released
    }
  }

  private func unsubscribe(_ id: HandlerTable<OperationEventHandler<State>>.ID) {
    let (released, runs) = change {
      let released = remove(id)
      if released != nil { guardedSubscriberCount -= 1 }
      return (released, guardedSubscriberCount == 0 ? subscribersRuns : OperationTaskNodeList())
    }
    _ = released
    for index in 0..<runs.count { runs[index].cancel() }
  }

  private func runForSubscribers() {
    guard let context = state.contextForRerun(context) else { return }
    runTaskForSubscribers(using: context)?.start()
  }

  /// The task of a run that ends with the last subscriber, to be started by the caller; nil when there is none.
  func runTaskForSubscribers(
    using context: OperationContext
  ) -> OperationTask<State.OperationValue, State.Failure>? {
    let run = newRun(using: context)
    let isWanted = change {
      guard guardedSubscriberCount > 0 else { return false }
      subscribersRuns.append(run)
      return true
    }
    return isWanted ? run.task : nil
  }
}
