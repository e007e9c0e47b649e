extension OperationStore {
  /// The states of the store, starting with the current one.
  ///
  /// Each iteration subscribes to the store and counts as a subscriber. It ends with the iterating task, the iterator
  /// or the store: like any subscription, it does not retain the store. Up to 64 states are buffered; a slower reader
  /// misses the oldest ones, but never the newest.
  public var states: States { States(store: self) }

  /// The number of states buffered for each reader: more than a reader that keeps up needs, and few enough for pages of a few megabytes.
  private static var keptStates: Int { 64 }

  /// A state and the context of the change that led to it.
  public struct Element: Sendable {
    /// The state.
    public let state: State
    /// The context of the run or call that set this state.
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

    /// Owned by a handler that is released with the store, and ends the sequence when it is released.
    private final class Source: Sendable {
      let continuation: AsyncStream<OperationStore<State>.Element>.Continuation

      init(_ continuation: AsyncStream<OperationStore<State>.Element>.Continuation) {
        self.continuation = continuation
      }

      deinit { continuation.finish() }
    }

    /// Iterates over the states.
    public struct Iterator: AsyncIteratorProtocol {
      let subscription: OperationSubscription
      var base: AsyncStream<OperationStore<State>.Element>.Iterator

      /// Returns the next state, or nil if the task was cancelled or the store no longer exists.
      public mutating func next(
        isolation: isolated (any Actor)?
      ) async throws(Never) -> OperationStore<State>.Element? {
        await base.next(isolation: isolation)
      }
    }
  }
}
