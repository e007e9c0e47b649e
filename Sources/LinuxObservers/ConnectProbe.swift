import CLinuxObservers
import Glibc
import Operations
import Synchronization

/// Opens a TCP connection to a host and closes it again; succeeds if the host accepts it.
struct ConnectProbe: OperationRequest {
  let host: String
  let port: UInt16

  func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Void, any Error>
  ) async throws {
    var last: any Error = ReachabilityError.noAddress(host)
    for address in try await HostLookup.shared.addresses(of: host, port: port) {
      try Task.checkCancellation()
      do {
        return try await connect(to: address)
      } catch {
        last = error
      }
    }
    throw last
  }

  private func connect(to address: HostAddress) async throws {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = try Descriptor(socket(address.family, kind, 0), from: "socket")
    let result = address.withSocketAddress { Glibc.connect(descriptor.number, $0, $1) }
    if result == 0 { return }
    guard errno == EINPROGRESS else { throw ObserverError.systemCall("connect", errno) }
    try await ObserverThread.shared.waits(for: descriptor, events: EPOLLOUT.rawValue)
    var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &error, &length)
    guard error == 0 else { throw ObserverError.systemCall("connect", error) }
  }
}

extension ObserverThread {
  /// Returns when `descriptor` has one of `events`, an error or a hang-up; throws `CancellationError` if the task is cancelled first.
  func waits(for descriptor: Descriptor, events: UInt32) async throws {
    let arrival = Arrival()
    // Edge-triggered, because nothing is read and one notification is enough.
    let watch = try watch(descriptor, for: events | UInt32(EPOLLET.rawValue)) { _ in
      arrival.come(.success(()))
    }
    defer { watch.cancel() }
    try await withTaskCancellationHandler {
      try await arrival.value()
    } onCancel: {
      arrival.come(.failure(CancellationError()))
    }
  }
}

/// A result that arrives once, for one waiting task.
private final class Arrival: Sendable {
  private enum State {
    case expected
    case awaited(CheckedContinuation<Void, any Error>)
    case come(Result<Void, any Error>)
  }

  private let state = Mutex(State.expected)

  func come(_ result: Result<Void, any Error>) {
    let waiting: CheckedContinuation<Void, any Error>? = state.withLock { state in
      switch state {
      case .expected:
        state = .come(result)
        return nil
      case .awaited(let continuation):
        state = .come(result)
        return continuation
      case .come: return nil
      }
    }
    waiting?.resume(with: result)
  }

  func value() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let result: Result<Void, any Error>? = state.withLock { state in
        if case .come(let result) = state { return result }
        state = .awaited(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }
}
