public import Operations

/// A stream of server-sent events that connects again whenever it is lost, and goes on where it was.
///
/// ```swift
/// let releases = HTTPEventSource(.init(url: "https://example.org/releases"), by: client)
/// for try await event in releases.events() { print(event.data) }
/// ```
///
/// It does what the HTML standard says of `EventSource` (WHATWG, 9.2): asks for `text/event-stream`, connects again
/// after the time that the server names with `retry:`, sends the id of the last event as `Last-Event-ID`, ends where
/// the server answers 204, and fails for good where it answers something that is no such stream. Beyond the standard,
/// statuses that tell of something that passes do not end it: see ``HTTPReconnection/statuses``.
///
/// Events come one after another, and none is read from the network before the ones before it were taken: who is slow
/// slows the server down. An event can come twice or not at all where a connection is lost, as the server has it:
/// what was sent while nobody was connected comes only from a server that heeds `Last-Event-ID`.
public struct HTTPEventSource: Sendable {
  /// The request that every connection begins with. `Accept` and `Cache-Control` are added where they are missing. A
  /// `total` timeout bounds each connection.
  public var request: HTTPTransferRequest
  /// What carries it.
  public var transport: any HTTPTransport
  /// What prepares each request, in their order, such as an authorization. None by default.
  public var requestProcessors: [any HTTPRequestProcessor] = []
  /// What is asked first whether a failed connection is tried again. None by default; where none has an opinion, it is
  /// as ``HTTPReconnection`` says.
  public var retryProviders: [any HTTPRetryProvider] = []
  /// When, and how often, it connects again.
  public var reconnection = HTTPReconnection()
  /// What the source knows of others.
  public var peers: HTTPPeers = .shared
  /// How long a stream may be silent before it counts as lost: 5 minutes by default, nil for ever. Takes the place of
  /// the request's `idle` timeout. Servers that have nothing to say send comments, which count.
  public var silence: Duration? = .seconds(300)
  /// The id of the last event that somebody has had earlier, such as before a restart; empty, the default, without any.
  public var lastEventID = ""
  /// The most bytes of one line, and of the data of one event; a longer one ends the source with `undecodable`. 1 MiB
  /// by default.
  public var eventLimit = 1024 * 1024
  /// Is told when a stream begins, and when it has to be waited for. Called in the task of the source, in order.
  public var onChange: (@Sendable (HTTPEventSourceChange) -> Void)?

  /// A source of what a request's response brings.
  public init(_ request: HTTPTransferRequest, by transport: any HTTPTransport) {
    self.request = request
    self.transport = transport
  }

  /// Connects, and hands over each event, until the server says that there are no more.
  ///
  /// Cancelling the task ends the connection, or the wait for the next one, at once.
  ///
  /// - Parameters:
  ///   - context: Has the clock, the delays and the randomness.
  ///   - deliver: Takes an event. The next one is read when it has returned.
  /// - Throws: ``HTTPOperationError`` where there is no point in connecting again; what `deliver` throws, which ends
  ///   the source; `CancellationError` when the task is cancelled.
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
      // The wait after a stream that was open begins a new series: what failed before it does not count any more.
      var random = context.operationRandom
      let delay = reconnection.backoff(time: session.reconnectionTime)
        .delay(beforeRetry: 1, previous: nil, using: &random)
      context.retryState = RetryState(remainingDelay: delay)
      wakers = error.retryWakers
      onChange?(.waiting(delay, after: error))
    }
  }
}

/// What becomes of a source between its events.
public enum HTTPEventSourceChange: Sendable {
  /// The server has begun a stream.
  case opened(HTTPResponseHead)
  /// There is no stream, because of this error, and the next connection is made after this delay, or when something
  /// brings it forward.
  case waiting(Duration, after: HTTPOperationError)
}
