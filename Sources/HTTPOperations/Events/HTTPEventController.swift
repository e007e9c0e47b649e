public import Operations

/// Drives a store by a stream of server-sent events: each event becomes the value of the store.
///
/// ```swift
/// let latest = Latest().controlled(by: HTTPEventController(HTTPEventSource(request, by: client)))
/// ```
///
/// It connects when the store is made, whether or not anybody subscribes, and ends with the store. A connection that is
/// lost and made again leaves the state as it is; what ends the source for good becomes the error of the store, as does
/// what `value` throws, after which the next event follows.
public struct HTTPEventController<State: OperationState>: OperationController where State.Failure == any Error {
  /// Makes a value of an event; nil leaves the state as it is.
  public typealias Value = @Sendable (ServerSentEvent) async throws -> State.StateValue?

  private let source: HTTPEventSource
  private let value: Value

  /// A controller.
  ///
  /// - Parameters:
  ///   - source: Where the events come from.
  ///   - value: Makes a value of an event; nil leaves the state as it is. The next event is read when it has returned.
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
  /// A controller whose values are the events themselves.
  public init(_ source: HTTPEventSource) {
    self.init(source) { $0 }
  }
}
