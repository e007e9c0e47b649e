import Glibc
import OperatingSystem
import Operations
import Synchronization

/// An address to connect to, in the form that system calls expect.
struct HostAddress: Sendable, Equatable {
  let family: Int32
  let bytes: [UInt8]

  /// Returns the same address with `port`.
  func with(port: UInt16) -> Self {
    // In the structures of both families, the port is the third and fourth byte, in network order.
    var bytes = bytes
    if bytes.count >= 4 { (bytes[2], bytes[3]) = (UInt8(port >> 8), UInt8(truncatingIfNeeded: port)) }
    return Self(family: family, bytes: bytes)
  }

  /// Calls `body` with the address and its length.
  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix($0.count)) }
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
    }
  }
}

/// Looks up the addresses of hosts.
///
/// A numeric address is parsed at once. A name is looked up on a separate thread, because the C library's resolver blocks (for many seconds if
/// there is no name server) and cannot be cancelled. Each of these threads keeps a descriptor open, so their number is limited: concurrent
/// lookups of one name share one answer, and while ``limit`` names are being looked up, further names wait in a queue. A cancelled task does not wait.
final class HostLookup: Sendable {
  typealias Answer = Result<[HostAddress], any Error>
  typealias Resolver = @Sendable (String) -> Answer

  /// The lookup of this process, which uses the C library's resolver.
  static let shared = HostLookup(limit: 32) { ask($0, flags: AI_ADDRCONFIG) }

  private typealias Waiting = [Int: CheckedContinuation<[HostAddress], any Error>]

  private struct State {
    var lastID = 0
    /// The tasks that wait for the addresses of each name, from the first request until the answer.
    var questions: [String: Waiting] = [:]
    /// The names that no thread is looking up yet, in order.
    var queue: [String] = []
    var threadCount = 0
  }

  /// The maximum number of concurrent lookups.
  let limit: Int
  private let resolver: Resolver
  private let state = Mutex(State())

  init(limit: Int, resolver: @escaping Resolver) {
    self.limit = limit
    self.resolver = resolver
  }

  /// Returns the addresses of `host` with `port` set.
  ///
  /// - Throws: ``ReachabilityError`` if the name is unknown; `CancellationError` as soon as the task is cancelled.
  func addresses(of host: String, port: UInt16) async throws -> [HostAddress] {
    if case .success(let addresses) = Self.ask(host, flags: AI_NUMERICHOST) {
      return addresses.map { $0.with(port: port) }
    }
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let addresses = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if add(continuation, id, askingFor: host) { startThread() }
        if Task.isCancelled { cancel(id, askingFor: host) }
      }
    } onCancel: {
      cancel(id, askingFor: host)
    }
    return addresses.map { $0.with(port: port) }
  }

  /// The number of tasks waiting for an answer.
  var waitingCount: Int { state.withLock { state in state.questions.values.reduce(0) { $0 + $1.count } } }

  /// Adds a waiting task. Returns whether another thread must be started.
  private func add(
    _ continuation: CheckedContinuation<[HostAddress], any Error>, _ id: Int, askingFor host: String
  ) -> Bool {
    state.withLock { state in
      let isNew = state.questions[host] == nil
      state.questions[host, default: [:]][id] = continuation
      guard isNew else { return false }
      state.queue.append(host)
      guard state.threadCount < limit else { return false }
      state.threadCount += 1
      return true
    }
  }

  private func cancel(_ id: Int, askingFor host: String) {
    let waiting = state.withLock { $0.questions[host]?.removeValue(forKey: id) }
    waiting?.resume(throwing: CancellationError())
  }

  /// Returns the next name in the queue; nil if there is none, so that the calling thread must end.
  private func next() -> String? {
    state.withLock { state in
      while !state.queue.isEmpty {
        let host = state.queue.removeFirst()
        if state.questions[host]?.isEmpty == false { return host }
        // All tasks that wanted this name have been cancelled.
        state.questions[host] = nil
      }
      state.threadCount -= 1
      return nil
    }
  }

  private func answer(_ answer: Answer, to host: String) {
    let waiting = state.withLock { $0.questions.removeValue(forKey: host) } ?? [:]
    for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) {
      continuation.resume(with: answer)
    }
  }

  private func startThread() {
    do throws(SystemError) {
      try SystemThread.detach("penstock-lookup") { [self] in
        while let host = next() { answer(resolver(host), to: host) }
      }
    } catch {
      giveUp(because: .systemCall("\(error.call)", error.number))
    }
  }

  /// Handles a thread that could not be started. The other threads take over its work; if there are none, all lookups in the queue fail.
  private func giveUp(because error: ObserverError) {
    let left: [String] = state.withLock { state in
      state.threadCount -= 1
      guard state.threadCount == 0 else { return [] }
      defer { state.queue = [] }
      return state.queue
    }
    for host in left { answer(.failure(error), to: host) }
  }

  private static func ask(_ host: String, flags: Int32) -> Answer {
    var hints = addrinfo()
    hints.ai_flags = flags
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let error = getaddrinfo(host, nil, &hints, &first)
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
