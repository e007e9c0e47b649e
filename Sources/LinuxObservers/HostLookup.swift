import Glibc
import OperatingSystem
import Operations
import Synchronization

/// An address to connect to, as the system calls want it.
struct HostAddress: Sendable, Equatable {
  let family: Int32
  let bytes: [UInt8]

  /// The same address with this port.
  func with(port: UInt16) -> Self {
    // Of both families' structures the port is the third and the fourth byte, in network order.
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

/// Finds the addresses of hosts.
///
/// A numeric address is read at once. A name is looked up on a thread of its own, because the C library's resolver
/// blocks: without a name server for many seconds, and it cannot be called off. So that the threads, each of which has a
/// descriptor open meanwhile, do not become more with each that asks, all that ask for one name at a time get one answer,
/// and where ``limit`` names are being looked up, further ones take their turn. A task that is cancelled does not wait.
final class HostLookup: Sendable {
  typealias Answer = Result<[HostAddress], any Error>
  typealias Resolver = @Sendable (String) -> Answer

  /// The one of this process, which asks the C library.
  static let shared = HostLookup(limit: 32) { ask($0, flags: AI_ADDRCONFIG) }

  private typealias Waiting = [Int: CheckedContinuation<[HostAddress], any Error>]

  private struct State {
    var lastID = 0
    /// Who waits for the addresses of a name, from the first that asks until the answer.
    var questions: [String: Waiting] = [:]
    /// The names whose turn has not come, in order.
    var queue: [String] = []
    var threadCount = 0
  }

  /// How many names are looked up at a time.
  let limit: Int
  private let resolver: Resolver
  private let state = Mutex(State())

  init(limit: Int, resolver: @escaping Resolver) {
    self.limit = limit
    self.resolver = resolver
  }

  /// The addresses of `host` with the port set; throws ``ReachabilityError`` where the name is not known, and
  /// `CancellationError` as soon as the task is cancelled.
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

  /// How many tasks wait for an answer.
  var waitingCount: Int { state.withLock { state in state.questions.values.reduce(0) { $0 + $1.count } } }

  /// Whether it takes one more thread.
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

  /// The name whose turn it is; nil where there is none, and the thread that asks has to end.
  private func next() -> String? {
    state.withLock { state in
      while !state.queue.isEmpty {
        let host = state.queue.removeFirst()
        if state.questions[host]?.isEmpty == false { return host }
        // All that asked have been cancelled.
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

  /// A thread could not be started. What waits is left to the others, if there are any.
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
