import HTTPTypes
import Operations
import Synchronization

/// One connection of an ``HTTPEventSource``, from the request to the end of the stream.
struct HTTPEventConnection: OperationRequest {
  /// How a connection ended, if it did not fail.
  enum End: Sendable {
    /// There was a stream, and there may be another.
    case lost(HTTPOperationError)
    /// The server has reported that no more events follow.
    case over
  }

  let source: HTTPEventSource
  let session: HTTPEventSession

  func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<End, any Error>
  ) async throws -> End {
    session.begin()
    do {
      try await attempt.run(isolation: isolation, in: context, with: OperationContinuation())
      return .over
    } catch let error as HTTPOperationError {
      guard session.isOpen, case .retry = error.verdict else { throw error }
      return .lost(error)
    }
  }

  private var attempt: HTTPAttempt<Void> {
    var request = source.request
    request.options.timeouts.idle = source.silence
    var operation = HTTPOperation(request, by: source.transport, to: HTTPEventStream(session: session))
    operation.requestProcessors = source.requestProcessors
    operation.validators = [
      HTTPStatusValidator([200, 204], expectation: "200"),
      HTTPMediaTypeValidator([MediaTypePattern("text/event-stream")].compactMap(\.self)),
    ]
    operation.retryProviders = source.retryProviders + [HTTPEventRetryProvider(reconnection: source.reconnection)]
    operation.retry.retryAfterCap = source.reconnection.retryAfterCap
    operation.peers = source.peers
    return operation.attempt
  }
}

/// The state shared by all connections of one run of a source. The connections follow one another, so only one task at a time uses it.
final class HTTPEventSession: Sendable {
  private struct State {
    var parser: ServerSentEventParser
    var reconnectionTime: Duration
    var isOpen = false
  }

  private let source: HTTPEventSource
  private let deliver: @Sendable (ServerSentEvent) async throws -> Void
  private let state: Mutex<State>

  init(of source: HTTPEventSource, deliver: @escaping @Sendable (ServerSentEvent) async throws -> Void) {
    self.source = source
    self.deliver = deliver
    state = Mutex(
      State(
        parser: ServerSentEventParser(lastEventID: source.lastEventID, limit: source.eventLimit),
        reconnectionTime: source.reconnection.time))
  }

  /// Whether the connection has become a stream.
  var isOpen: Bool { state.withLock { $0.isOpen } }
  /// The reconnection time that the server last set, or otherwise that of the source.
  var reconnectionTime: Duration { state.withLock { $0.reconnectionTime } }
  /// The ID of the last event that had one.
  var lastEventID: String { state.withLock { $0.parser.lastEventID } }

  /// Begins another connection. An incomplete event at the end of the last stream is discarded.
  func begin() {
    state.withLock { state in
      state.parser = ServerSentEventParser(lastEventID: state.parser.lastEventID, limit: state.parser.limit)
      state.isOpen = false
    }
  }

  /// Notes that the connection has become a stream.
  func open(_ head: HTTPResponseHead) {
    state.withLock { $0.isOpen = true }
    if let endpoint = try? HTTPURL(head.url).endpoint { source.peers.succeeded(at: endpoint) }
    source.onChange?(.opened(head))
  }

  /// Parses a chunk and delivers each event.
  func receive(_ chunk: [UInt8]) async throws {
    var rest = chunk[...]
    while let event = try next(in: &rest) {
      try Task.checkCancellation()
      do {
        try await deliver(event)
      } catch {
        throw HTTPEventDeliveryFailure(error: error)
      }
    }
  }

  private func next(in bytes: inout ArraySlice<UInt8>) throws -> ServerSentEvent? {
    try state.withLock { state in
      defer { state.reconnectionTime = state.parser.reconnectionTime ?? state.reconnectionTime }
      return try state.parser.next(in: &bytes)
    }
  }
}

/// An error thrown by the consumer of events, as opposed to a failure of the connection.
struct HTTPEventDeliveryFailure: Error {
  let error: any Error
}

/// Passes the body of a response to a session.
private struct HTTPEventStream: HTTPResultProcessor, HTTPResultSink {
  let session: HTTPEventSession

  func begin(
    _ request: inout HTTPTransferRequest, in context: OperationContext
  ) async throws -> any HTTPResultSink<Void> {
    if request.fields[.accept] == nil { request.fields[.accept] = "text/event-stream" }
    if request.fields[.cacheControl] == nil { request.fields[.cacheControl] = "no-store" }
    let id = session.lastEventID
    if !id.isEmpty { request.fields[.lastEventID] = id }
    return self
  }

  func destination(for head: HTTPResponseHead) async throws -> HTTPBodyDestination {
    guard head.status != .noContent else { return .nowhere }
    session.open(head)
    return .chunks
  }

  func receive(_ chunk: [UInt8]) async throws {
    try await session.receive(chunk)
  }

  func finish(_ result: HTTPTransferResult) async throws {
    guard result.head.status != .noContent else { return }
    throw HTTPResultError(.streamEnded, "the stream of \(HTTPURL.shown(result.head.url)) ended")
  }
}

extension HTTPField.Name {
  /// `Last-Event-ID`: the ID of the last event received.
  public static var lastEventID: HTTPField.Name {
    // The name is valid, so the fallback is never used.
    HTTPField.Name("Last-Event-ID") ?? .expect
  }
}
