public import Operations
import Synchronization

/// The events of an ``HTTPEventSource``, for `for try await`.
///
/// Each iteration is a separate run of the source. It connects when the first event is requested, is at most one event ahead of the consumer, and ends
/// immediately when the iterator is released or its task is cancelled. It ends with the source, and rethrows its error.
public struct HTTPEvents: AsyncSequence, Sendable {
  /// Events.
  public typealias Element = ServerSentEvent

  let source: HTTPEventSource
  let context: OperationContext

  /// Creates a run of the source, which begins at the first call of `next`.
  public func makeAsyncIterator() -> Iterator { Iterator(run: HTTPEventRun(source, in: context)) }

  /// Iterates over the events of one run.
  public struct Iterator: AsyncIteratorProtocol {
    let run: HTTPEventRun

    /// Waits for the next event.
    ///
    /// - Returns: The event; nil if the server reports that there are no more.
    /// - Throws: Any error of the source; `CancellationError` if the task is cancelled.
    public mutating func next() async throws -> ServerSentEvent? { try await run.next() }
  }
}

extension HTTPEventSource {
  /// Returns the events, for `for try await`.
  ///
  /// - Parameter context: Provides the clock, the delays and the randomness.
  /// - Returns: A sequence whose run begins when it is iterated.
  public func events(in context: OperationContext = OperationContext()) -> HTTPEvents {
    HTTPEvents(source: self, context: context)
  }
}

/// One run of a source, whose events are requested one by one. Ends when it is released.
final class HTTPEventRun: Sendable {
  private let handover = HTTPEventHandover()
  private let source: HTTPEventSource
  private let context: OperationContext
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ source: HTTPEventSource, in context: OperationContext) {
    self.source = source
    self.context = context
  }

  deinit { cancel() }

  func next() async throws -> ServerSentEvent? {
    try Task.checkCancellation()
    start()
    return try await withTaskCancellationHandler {
      try await handover.take()
    } onCancel: {
      cancel()
    }
  }

  /// Begins the run, unless it has begun.
  private func start() {
    task.withLock { [handover, source, context] task in
      guard task == nil else { return }
      task = Task {
        do {
          try await source.run(in: context) { try await handover.give($0) }
          handover.end(nil)
        } catch {
          handover.end(error)
        }
      }
    }
  }

  private func cancel() {
    task.withLock { $0 }?.cancel()
    handover.end(CancellationError())
  }
}

/// Passes events from one task to another; the giving task waits until its event was taken.
private final class HTTPEventHandover: Sendable {
  private struct State {
    var event: ServerSentEvent?
    var giver: CheckedContinuation<Void, any Error>?
    var taker: CheckedContinuation<ServerSentEvent?, any Error>?
    var end: Result<ServerSentEvent?, any Error>?
  }

  private let state = Mutex(State())

  /// Gives an event, and returns once it was taken. Only one task may give at a time.
  ///
  /// - Throws: `CancellationError` if there is no more demand.
  func give(_ event: ServerSentEvent) async throws {
    try await withCheckedThrowingContinuation { (giver: CheckedContinuation<Void, any Error>) in
      let (outcome, taker): (Result<Void, any Error>?, CheckedContinuation<ServerSentEvent?, any Error>?) =
        state.withLock { state in
          if state.end != nil { return (.failure(CancellationError()), nil) }
          if let taker = state.taker {
            state.taker = nil
            return (.success(()), taker)
          }
          (state.event, state.giver) = (event, giver)
          return (nil, nil)
        }
      taker?.resume(returning: event)
      if let outcome { giver.resume(with: outcome) }
    }
  }

  /// Waits for the next event and takes it. Only one task may take at a time.
  func take() async throws -> ServerSentEvent? {
    try await withCheckedThrowingContinuation { taker in
      let (result, giver): (Result<ServerSentEvent?, any Error>?, CheckedContinuation<Void, any Error>?) =
        state.withLock { state in
          if let event = state.event {
            defer { (state.event, state.giver) = (nil, nil) }
            return (.success(event), state.giver)
          }
          if let end = state.end { return (end, nil) }
          state.taker = taker
          return (nil, nil)
        }
      giver?.resume()
      if let result { taker.resume(with: result) }
    }
  }

  /// Ends the sequence, with `error` if it is not nil. Only the first call has an effect.
  func end(_ error: (any Error)?) {
    let result: Result<ServerSentEvent?, any Error> = error.map { .failure($0) } ?? .success(nil)
    let (giver, taker) = state.withLock { state in
      guard state.end == nil else {
        return (CheckedContinuation<Void, any Error>?.none, CheckedContinuation<ServerSentEvent?, any Error>?.none)
      }
      state.end = result
      defer { (state.event, state.giver, state.taker) = (nil, nil, nil) }
      return (state.giver, state.taker)
    }
    giver?.resume(throwing: CancellationError())
    taker?.resume(with: result)
  }
}
