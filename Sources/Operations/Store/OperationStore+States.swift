extension OperationStore {
  /// The states of the store, from the current one on.
  ///
  /// Each iteration subscribes to the store, counts as a subscriber, and ends with the task that iterates, when the
  /// iterator goes, or when the store does: like any subscription, it does not keep the store. The newest 64 states wait
  /// until they are asked for: a reader that is further behind misses the oldest, and never the newest.
  public var states: States { States(store: self) }

  /// How many states wait for one reader: more than one that keeps up has at any time, and few enough for pages of a few megabytes.
  private static var keptStates: Int { 64 }

  /// A state, and the context of what brought it.
  public struct Element: Sendable {
    /// The state.
    public let state: State
    /// The context of the run or the call that made this the state.
    public let context: OperationContext
  }

  /// See ``OperationStore/states``.
  public struct States: AsyncSequence, Sendable {
    let store: OperationStore<State>

    /// Subscribes to the store.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream<OperationStore<State>.Element>.makeStream(
        bufferingPolicy: .bufferingNewest(OperationStore<State>.keptStates))
      let source = Source(continuation)
      let subscription = store.subscribe(
        with: OperationEventHandler(onStateChanged: { state, context in
          source.continuation.yield(OperationStore<State>.Element(state: state, context: context))
        }))
      continuation.onTermination = { _ in subscription.cancel() }
      return Iterator(subscription: subscription, base: stream.makeAsyncIterator())
    }

    /// Goes with the handler that owns it, which goes with the store, and ends the sequence then.
    private final class Source: Sendable {
      let continuation: AsyncStream<OperationStore<State>.Element>.Continuation

      init(_ continuation: AsyncStream<OperationStore<State>.Element>.Continuation) {
        self.continuation = continuation
      }

      deinit { continuation.finish() }
    }

    /// Hands out states one by one.
    public struct Iterator: AsyncIteratorProtocol {
      let subscription: OperationSubscription
      var base: AsyncStream<OperationStore<State>.Element>.Iterator

      /// The next state; nil when the task was cancelled or the store is gone.
      public mutating func next(
        isolation: isolated (any Actor)?
      ) async throws(Never) -> OperationStore<State>.Element? {
        await base.next(isolation: isolation)
      }
    }
  }
}
