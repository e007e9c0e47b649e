import Synchronization

/// Where the client's thread leaves what comes from the network, and the task of a transfer takes it.
///
/// The thread leaves bytes until the window is full, and then lets the transfer stand still until the task, or the thread
/// that writes the body to its file, asks for more. These are woken once for everything that came in one turn of the
/// client's thread, so that a small response costs one wake-up.
final class TransferMailbox: Sendable {
  /// What the task waits for. The end ends every wait.
  enum Wanted { case beginning, head, body, end }

  /// What becomes of the bytes of the body.
  enum Mode: Equatable {
    /// The receiver has not decided: they wait, up to the window.
    case undecided
    /// They are collected, up to the limit.
    case memory
    /// They wait for the receiver, up to the window.
    case chunks
    /// They wait for the thread that writes them to a file, up to the window.
    case file
    /// They are counted.
    case nowhere
  }

  /// How a transfer ended.
  enum End {
    case finished
    case failed(HTTPTransferError)
    case cancelled
  }

  /// What becomes of bytes that came.
  enum Placed: Equatable {
    case taken
    /// They are taken, but no more are wanted for now.
    case full
    case tooLarge(Int64)
  }

  /// The raw head, and what else is known by then.
  struct Head {
    var bytes: [UInt8]
    var remoteAddress: String?
  }

  /// What waits: a task, or the thread that writes to a file.
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

    /// The window, in bytes: a file gets larger pieces, since each costs its thread a turn.
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

  /// What waits to be written to a file before the transfer stands still, in bytes.
  private static let fileWindow = 1 << 20

  private let state = Mutex(State())
  private let window: Int

  init(window: Int) {
    self.window = max(1, window)
  }

  // MARK: The client's thread

  /// Notes that the transfer has the socket that it needs. True the first time.
  func noteBegun() -> Bool {
    state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
  }

  /// Takes the head of the final response.
  func put(_ head: Head) {
    state.withLock { $0.head = head }
  }

  /// Takes bytes of the body.
  func put(_ bytes: UnsafeRawBufferPointer) -> Placed {
    state.withLock { state in
      guard Int64(bytes.count) <= state.limit - state.delivered else { return .tooLarge(state.limit) }
      state.delivered += Int64(bytes.count)
      if state.mode == .nowhere { return .taken }
      state.body.append(contentsOf: bytes)
      return state.mode != .memory && state.body.count >= state.window(window) ? .full : .taken
    }
  }

  /// Whether the transfer is to stand still, since nobody has taken what filled the window.
  func standStill() -> Bool {
    state.withLock { state in
      guard state.mode != .memory, state.mode != .nowhere, state.body.count >= state.window(window), state.end == nil
      else { return false }
      state.standsStill = true
      return true
    }
  }

  /// Takes the end. Nothing comes after it.
  func put(_ end: End, _ statistics: HTTPTransferStatistics) {
    state.withLock { state in
      guard state.end == nil else { return }
      state.end = end
      state.statistics = statistics
      state.statistics.bytesDelivered = state.delivered
    }
  }

  /// Wakes the task if what it waits for is there.
  func announce() {
    let waiter = state.withLock { state -> Waker? in
      guard let waiter = state.waiter, state.has(waiter.wanted) else { return nil }
      state.waiter = nil
      return waiter.waker
    }
    waiter?.wake()
  }

  /// Whether the transfer is not wanted any more.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// How many bytes of the body have come.
  var delivered: Int64 { state.withLock { $0.delivered } }

  // MARK: The task, and the thread that writes

  /// Notes that the transfer is not wanted any more. The thread must be told too.
  func cancel() {
    state.withLock { $0.isCancelled = true }
  }

  /// Waits. One task may wait at a time; cancellation does not end the wait, the end of the transfer that follows from
  /// it does.
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

  /// Blocks the thread until what it wants is there.
  func wait(for wanted: Wanted, with signal: WakeSemaphore) {
    let isThere = state.withLock { state in
      if state.has(wanted) { return true }
      state.waiter = (wanted, .thread(signal))
      return false
    }
    if !isThere { signal.wait() }
  }

  /// Whether the transfer had the socket that it needs.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// The head, once there is one.
  var head: Head? { state.withLock { $0.head } }

  /// The end, once there is one.
  var end: (end: End, statistics: HTTPTransferStatistics)? {
    state.withLock { state in state.end.map { ($0, state.statistics) } }
  }

  /// Decides where the body goes. What waits already stays, to be taken by `take` or, in memory, at the end.
  ///
  /// - Returns: Whether more than `limit` has come already.
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

  /// Takes what waits.
  ///
  /// - Returns: The bytes, and whether the transfer stands still and must be told to go on.
  func take() -> (bytes: [UInt8], resumes: Bool) {
    state.withLock { state in
      let bytes = state.body
      state.body = []
      let resumes = state.standsStill
      state.standsStill = false
      return (bytes, resumes)
    }
  }

  /// Takes what waits in exchange for an empty array with the capacity of `buffer`.
  ///
  /// - Returns: Whether the transfer stands still and must be told to continue.
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
