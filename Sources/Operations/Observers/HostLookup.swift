import Glibc
import Synchronization

/// An address to connect to, as the system calls want it.
struct HostAddress: Sendable, Equatable {
  let family: Int32
  let bytes: [UInt8]

  /// Calls `body` with the address and its length.
  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix($0.count)) }
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
    }
  }
}

/// The addresses of a host.
///
/// A numeric address is read at once. A name is looked up on a thread that ends with the answer, because the C library's
/// resolver blocks; there is at most one such thread, however often it is asked for, and a task that is cancelled does
/// not wait for it.
final class HostLookup: Sendable {
  typealias Answer = Result<[HostAddress], any Error>

  private struct State {
    var lastID = 0
    var waiting: [Int: CheckedContinuation<[HostAddress], any Error>] = [:]
    var isRunning = false
  }

  private let host: String
  private let port: UInt16
  private let state = Mutex(State())

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  func addresses() async throws -> [HostAddress] {
    if case .success(let addresses) = Self.ask(host, port, flags: AI_NUMERICHOST) { return addresses }
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let begins = state.withLock { state in
          state.waiting[id] = continuation
          defer { state.isRunning = true }
          return !state.isRunning
        }
        if begins { startThread() }
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: Int) {
    let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
    waiting?.resume(throwing: CancellationError())
  }

  private func answer(_ answer: Answer) {
    let waiting = state.withLock { state in
      defer { (state.waiting, state.isRunning) = ([:], false) }
      return state.waiting.sorted { $0.key < $1.key }
    }
    for (_, continuation) in waiting { continuation.resume(with: answer) }
  }

  private func startThread() {
    let reference = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let lookup = Unmanaged<HostLookup>.fromOpaque(argument).takeRetainedValue()
        lookup.answer(HostLookup.ask(lookup.host, lookup.port, flags: AI_ADDRCONFIG))
        return nil
      }, reference.toOpaque())
    guard error == 0 else {
      reference.release()
      return answer(.failure(ObserverError.systemCall("pthread_create", error)))
    }
    pthread_detach(thread)
  }

  private static func ask(_ host: String, _ port: UInt16, flags: Int32) -> Answer {
    var hints = addrinfo()
    hints.ai_flags = flags | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let error = getaddrinfo(host, String(port), &hints, &first)
    guard error == 0 else {
      return .failure(ReachabilityError.lookup(host, String(cString: gai_strerror(error))))
    }
    defer { freeaddrinfo(first) }
    var addresses: [HostAddress] = []
    var next = first
    while let info = next {
      if let address = info.pointee.ai_addr {
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(info.pointee.ai_addrlen))
        addresses.append(HostAddress(family: info.pointee.ai_family, bytes: Array(bytes)))
      }
      next = info.pointee.ai_next
    }
    return .success(addresses)
  }
}
