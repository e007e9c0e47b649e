import Operations
import Synchronization

/// Receives the response of one attempt: passes the head to the sink and the validators, and the body to the sink.
///
/// The body of a rejected response is read only as far as the rejection wants, and not for long, to learn what the server says about its failure.
final class HTTPAttemptReceiver<Value: Sendable>: HTTPBodyReceiver, TransferBeginning {
  private struct State {
    typealias Rejection = (error: any Error, bodyLimit: Int, until: Duration)

    var head: HTTPResponseHead?
    var rejection: Rejection?
    var excerpt: [UInt8] = []
  }

  /// How long the body of a rejected response is read.
  static var patience: Duration { .seconds(5) }

  private let state = Mutex(State())
  private let clock: any OperationClock
  private let request: HTTPTransferRequest
  private let validators: [any HTTPResponseValidator]
  private let sink: any HTTPResultSink<Value>
  let onBegin: (@Sendable () -> Void)?

  init(
    request: HTTPTransferRequest, validators: [any HTTPResponseValidator], sink: any HTTPResultSink<Value>,
    clock: any OperationClock, onBegin: (@Sendable () -> Void)? = nil
  ) {
    self.onBegin = onBegin
    self.clock = clock
    self.request = request
    self.validators = validators
    self.sink = sink
  }

  /// The head of the response, once received.
  var head: HTTPResponseHead? { state.withLock { $0.head } }
  /// Why the response was rejected; nil if it was accepted.
  var rejection: (any Error)? { state.withLock { $0.rejection?.error } }
  /// The beginning of the body of a rejected response.
  var excerpt: [UInt8] { state.withLock { $0.excerpt } }

  func receive(_ head: HTTPResponseHead) async throws -> HTTPBodyDestination {
    state.withLock { $0.head = head }
    try await sink.admit(head)
    do {
      for validator in validators { try await validator.validate(head, of: request) }
    } catch let error as CancellationError {
      throw error
    } catch {
      let limit = (error as? HTTPRejection)?.bodyLimit ?? 0
      let until = clock.monotonic() + Self.patience
      state.withLock { $0.rejection = (error, limit, until) }
      guard limit > 0 else { throw error }
      return .chunks
    }
    return try await sink.destination(for: head)
  }

  func receive(_ chunk: [UInt8]) async throws {
    let (rejection, isFull) = state.withLock { state in
      guard let rejection = state.rejection else { return (nil as State.Rejection?, false) }
      state.excerpt += chunk.prefix(rejection.bodyLimit - state.excerpt.count)
      return (rejection, state.excerpt.count >= rejection.bodyLimit)
    }
    guard let rejection else { return try await sink.receive(chunk) }
    if isFull || clock.monotonic() >= rejection.until { throw rejection.error }
  }
}
