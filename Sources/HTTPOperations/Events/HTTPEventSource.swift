public import Operations

/// A stream of server-sent events that reconnects when it is lost, and continues after the last event.
///
/// ```swift
/// let releases = HTTPEventSource(.init(url: "https://example.org/releases"), by: client)
/// for try await event in releases.events() { print(event.data) }
/// ```
///
/// It behaves as the HTML standard requires of `EventSource` (WHATWG, 9.2): it requests `text/event-stream`, reconnects after the time that the server
/// sets with `retry:`, sends the ID of the last event as `Last-Event-ID`, ends when the server answers 204, and fails permanently when the response is not
/// such a stream. Beyond the standard, statuses that indicate a temporary condition do not end it: see ``HTTPReconnection/statuses``.
///
/// Events are delivered one at a time, and the next one is not read from the network before the previous one was taken: a slow consumer slows the server
/// down. If a connection is lost, an event can be delivered twice or not at all, depending on the server: events sent while disconnected are delivered
/// only by a server that supports `Last-Event-ID`.
public struct HTTPEventSource: Sendable {
  /// The request with which every connection begins. `Accept` and `Cache-Control` are added if missing. A `total` timeout limits each connection.
  public var request: HTTPTransferRequest
  /// The transport for the request.
  public var transport: any HTTPTransport
  /// The processors that prepare each request, in order, such as an authorization. Defaults to none.
  public var requestProcessors: [any HTTPRequestProcessor] = []
  /// The providers consulted first on whether to retry a failed connection. Defaults to none; if none has an opinion, ``HTTPReconnection`` decides.
  public var retryProviders: [any HTTPRetryProvider] = []
  /// When, and how often, to reconnect.
  public var reconnection = HTTPReconnection()
  /// Shares news of successful requests with other operations.
  public var peers: HTTPPeers = .shared
  /// How long a stream may be silent before it counts as lost. Defaults to 5 minutes; nil is unlimited. Replaces the request's `idle` timeout. Servers
  /// without events to send send comments, which count.
  public var silence: Duration? = .seconds(300)
  /// The ID of the last event received earlier, for example before a restart. Defaults to empty: none.
  public var lastEventID = ""
  /// The maximum number of bytes of one line, and of the data of one event; exceeding it ends the source with `undecodable`. Defaults to 1 MiB.
  public var eventLimit = 1024 * 1024
  /// Called when a stream begins, and when the source waits to reconnect, in the source's task and in order.
  public var onChange: (@Sendable (HTTPEventSourceChange) -> Void)?

  /// Creates a source from the response to a request.
  public init(_ request: HTTPTransferRequest, by transport: any HTTPTransport) {
    self.request = request
    self.transport = transport
  }

  /// Connects and delivers each event, until the server reports that there are no more.
  ///
  /// Cancelling the task immediately ends the connection, or the wait for the next one.
  ///
  /// - Parameters:
  ///   - context: Provides the clock, the delays and the randomness.
  ///   - deliver: Receives an event. The next one is read after it returns.
  /// - Throws: ``HTTPOperationError`` if reconnecting makes no sense; any error that `deliver` throws, which ends the source; `CancellationError` if the
  ///   task is cancelled.
  public func run(
    in context: OperationContext = OperationContext(),
    deliver: @escaping @Sendable (ServerSentEvent) async throws -> Void
  ) async throws {
    let session = HTTPEventSession(of: self, deliver: deliver)
    var context = context.forNestedOperation()
    context.retryObserver = RetryObserver(onWait: { [onChange] in
      guard let error = $0.error as? HTTPOperationError else { return }
      onChange?(.waiting($0.delay, after: error))
    })
    var wakers: [any RetryWaker] = []
    while true {
      let policy = reconnection.policy(time: session.reconnectionTime, wakers: wakers)
      let connection = HTTPEventConnection(source: self, session: session).retry(policy)
      let end: HTTPEventConnection.End
      do {
        end = try await OperationRunner(connection, context: context).run()
      } catch let error as HTTPOperationError {
        if case .result(let failure as HTTPEventDeliveryFailure) = error.cause { throw failure.error }
        throw error
      }
      guard case .lost(let error) = end else { return }
      // The wait after an open stream begins a new series: earlier failures no longer count.
      var random = context.operationRandom
      let delay = reconnection.backoff(time: session.reconnectionTime)
        .delay(beforeRetry: 1, previous: nil, using: &random)
      context.retryState = RetryState(remainingDelay: delay)
      wakers = error.retryWakers
      onChange?(.waiting(delay, after: error))
    }
  }
}

/// A change in a source's connection.
public enum HTTPEventSourceChange: Sendable {
  /// The server has begun a stream.
  case opened(HTTPResponseHead)
  /// There is no stream, because of this error. The source reconnects after this delay, or earlier if something brings it forward.
  case waiting(Duration, after: HTTPOperationError)
}
