public import Operations

/// Drives a store by a stream of server-sent events: each event becomes the value of the store.
///
/// ```swift
/// let latest = Latest().controlled(by: HTTPEventController(HTTPEventSource(request, by: client)))
/// ```
///
/// It connects when the store is created, with or without subscribers, and ends with the store. A connection that is lost and re-established leaves the
/// state unchanged. A permanent failure of the source becomes the error of the store, as does an error thrown by `value`, after which the next event
/// follows.
public struct HTTPEventController<State: OperationState>: OperationController where State.Failure == any Error {
  /// Converts an event to a value; nil leaves the state unchanged.
  public typealias Value = @Sendable (ServerSentEvent) async throws -> State.StateValue?

  private let source: HTTPEventSource
  private let value: Value

  /// Creates a controller.
  ///
  /// - Parameters:
  ///   - source: The source of the events.
  ///   - value: Converts an event to a value; nil leaves the state unchanged. The next event is read after it returns.
  public init(_ source: HTTPEventSource, value: @escaping Value) {
    self.source = source
    self.value = value
  }

  /// Connects, until the subscription ends.
  public func control(with controls: OperationControls<State>) -> OperationSubscription {
    let context = controls.context
    let task = Task { [source, value] in
      do {
        try await source.run(in: context) { event in
          do {
            guard let value = try await value(event) else { return }
            try Task.checkCancellation()
            controls.yield(value)
          } catch {
            try Task.checkCancellation()
            controls.yield(throwing: error)
          }
        }
      } catch {
        if !Task.isCancelled { controls.yield(throwing: error) }
      }
    }
    return OperationSubscription { task.cancel() }
  }
}

extension HTTPEventController where State == QueryState<ServerSentEvent, any Error> {
  /// Creates a controller whose values are the events themselves.
  public init(_ source: HTTPEventSource) {
    self.init(source) { $0 }
  }
}
