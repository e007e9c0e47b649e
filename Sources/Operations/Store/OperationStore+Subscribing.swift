extension OperationStore {
  /// Notifies `handler` of all events, until the subscription ends.
  ///
  /// The handler receives the current state immediately. If it is then the only subscriber, automatic running is
  /// enabled and the store is stale, a run starts. If the last subscriber leaves during that run or one caused by
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

  /// Notifies `handler` of all events, until the subscription or the store ends, without counting as a subscriber.
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

  /// Returns the task of a run that ends with the last subscriber, to be started by the caller; nil if there is no subscriber.
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
