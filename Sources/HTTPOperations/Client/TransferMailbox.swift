import Synchronization

/// A buffer through which the client's thread passes what it receives to the task of a transfer.
///
/// The thread adds bytes until the window is full, and then pauses the transfer until the task, or the thread that writes the body to its file, asks for
/// more. These are woken once for everything received in one turn of the client's thread, so that a small response costs one wake-up.
final class TransferMailbox: Sendable {
  /// What the task waits for. The end of the transfer ends every wait.
  enum Wanted { case beginning, head, body, end }

  /// How the bytes of the body are handled.
  enum Mode: Equatable {
    /// The receiver has not decided: bytes are buffered, up to the window.
    case undecided
    /// Bytes are collected, up to the limit.
    case memory
    /// Bytes are buffered for the receiver, up to the window.
    case chunks
    /// Bytes are buffered for the thread that writes them to a file, up to the window.
    case file
    /// Bytes are counted and discarded.
    case nowhere
  }

  /// How a transfer ended.
  enum End {
    case finished
    case failed(HTTPTransferError)
    case cancelled
  }

  /// The result of adding bytes.
  enum Placed: Equatable {
    case taken
    /// The bytes were taken, but no more are wanted for now.
    case full
    case tooLarge(Int64)
  }

  /// The raw head and the address of the peer.
  struct Head {
    var bytes: [UInt8]
    var remoteAddress: String?
  }

  /// The waiting task, or the waiting thread that writes to a file.
  private enum Waker {
    case task(CheckedContinuation<Void, Never>)
    case thread(WakeSemaphore)

    func wake() {
      switch self {
      case .task(let continuation): continuation.resume()
      case .thread(let signal): signal.send()
      }
    }
  }

  private struct State {
    var hasBegun = false
    var head: Head?
    var body: [UInt8] = []
    var mode = Mode.undecided
    var limit = Int64.max
    var delivered: Int64 = 0
    var end: End?
    var statistics = HTTPTransferStatistics()
    var standsStill = false
    var isCancelled = false
    var waiter: (wanted: Wanted, waker: Waker)?

    /// Returns the window in bytes. It is larger for a file, because each piece costs its thread a turn.
    func window(_ asked: Int) -> Int { mode == .file ? max(asked, TransferMailbox.fileWindow) : asked }

    func has(_ wanted: Wanted) -> Bool {
      switch wanted {
      case _ where end != nil: true
      case .beginning: hasBegun
      case .head: head != nil
      case .body: !body.isEmpty
      case .end: false
      }
    }
  }

  /// The maximum number of bytes waiting to be written to a file before the transfer is paused.
  private static let fileWindow = 1 << 20

  private let state = Mutex(State())
  private let window: Int

  init(window: Int) {
    self.window = max(1, window)
  }

  // MARK: The client's thread

  /// Notes that the transfer has the socket that it needs. Returns true the first time.
  func noteBegun() -> Bool {
    state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
  }

  /// Adds the head of the final response.
  func put(_ head: Head) {
    state.withLock { $0.head = head }
  }

  /// Adds bytes of the body.
  func put(_ bytes: UnsafeRawBufferPointer) -> Placed {
    state.withLock { state in
      guard Int64(bytes.count) <= state.limit - state.delivered else { return .tooLarge(state.limit) }
      state.delivered += Int64(bytes.count)
      if state.mode == .nowhere { return .taken }
      state.body.append(contentsOf: bytes)
      return state.mode != .memory && state.body.count >= state.window(window) ? .full : .taken
    }
  }

  /// Returns whether to pause the transfer because the window is still full.
  func standStill() -> Bool {
    state.withLock { state in
      guard state.mode != .memory, state.mode != .nowhere, state.body.count >= state.window(window), state.end == nil
      else { return false }
      state.standsStill = true
      return true
    }
  }

  /// Adds the end, after which nothing follows.
  func put(_ end: End, _ statistics: HTTPTransferStatistics) {
    state.withLock { state in
      guard state.end == nil else { return }
      state.end = end
      state.statistics = statistics
      state.statistics.bytesDelivered = state.delivered
    }
  }

  /// Wakes the waiting task or thread if what it waits for is available.
  func announce() {
    let waiter = state.withLock { state -> Waker? in
      guard let waiter = state.waiter, state.has(waiter.wanted) else { return nil }
      state.waiter = nil
      return waiter.waker
    }
    waiter?.wake()
  }

  /// Whether the transfer was cancelled.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The number of bytes of the body received so far.
  var delivered: Int64 { state.withLock { $0.delivered } }

  // MARK: The task, and the writing thread

  /// Notes that the transfer was cancelled. The client's thread must be notified too.
  func cancel() {
    state.withLock { $0.isCancelled = true }
  }

  /// Waits for `wanted`. Only one task may wait at a time. Cancellation does not end the wait itself, but ends the transfer, which does.
  func wait(for wanted: Wanted) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.has(wanted) { return true }
        state.waiter = (wanted, .task(continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Blocks the thread until `wanted` is available.
  func wait(for wanted: Wanted, with signal: WakeSemaphore) {
    let isThere = state.withLock { state in
      if state.has(wanted) { return true }
      state.waiter = (wanted, .thread(signal))
      return false
    }
    if !isThere { signal.wait() }
  }

  /// Whether the transfer has had the socket that it needs.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// The head, once received.
  var head: Head? { state.withLock { $0.head } }

  /// The end of the transfer, once it has ended.
  var end: (end: End, statistics: HTTPTransferStatistics)? {
    state.withLock { state in state.end.map { ($0, state.statistics) } }
  }

  /// Sets where the body goes. Bytes already buffered remain, to be taken by `take` or, in memory, at the end.
  ///
  /// - Returns: Whether more than `limit` bytes were received already, and whether the transfer must be resumed.
  func decide(_ mode: Mode, limit: Int64) -> (isTooLarge: Bool, resumes: Bool) {
    state.withLock { state in
      state.mode = mode
      state.limit = limit
      let resumes = (mode == .memory || mode == .nowhere) && state.standsStill
      if resumes { state.standsStill = false }
      if mode == .nowhere { state.body = [] }
      return (state.delivered > limit, resumes)
    }
  }

  /// Takes the buffered bytes.
  ///
  /// - Returns: The bytes, and whether the transfer is paused and must be resumed.
  func take() -> (bytes: [UInt8], resumes: Bool) {
    state.withLock { state in
      let bytes = state.body
      state.body = []
      let resumes = state.standsStill
      state.standsStill = false
      return (bytes, resumes)
    }
  }

  /// Takes the buffered bytes in exchange for an empty array with the capacity of `buffer`.
  ///
  /// - Returns: Whether the transfer is paused and must be resumed.
  func swap(_ buffer: inout [UInt8]) -> Bool {
    buffer.removeAll(keepingCapacity: true)
    return state.withLock { state in
      Swift.swap(&buffer, &state.body)
      let resumes = state.standsStill
      state.standsStill = false
      return resumes
    }
  }
}
