import Glibc

/// Collects what comes out of a pipe while it comes, and never more than a limit.
///
/// Lives on the event loop: all members are called there.
final class StreamCollector: @unchecked Sendable {
  // @unchecked: it is touched only on the loop.

  /// What becomes of more than the limit.
  enum Excess {
    /// Nothing more is read.
    case ends
    /// The beginning is dropped.
    case dropsBeginning
  }

  /// Why nothing more comes.
  enum End {
    /// The last writer has closed it.
    case closed
    /// More came than the limit.
    case exceeded
    /// The system says no: the error number.
    case failed(Int32)
  }

  private static let pieceSize = 64 << 10

  private(set) var bytes: [UInt8] = []
  private(set) var end: End?
  private let descriptor: Int32
  private let limit: Int
  private let excess: Excess
  private let loop: EventLoop
  private var token: EventLoop.Token?
  private var onEnd: () -> Void = {}
  private var piece = [UInt8](repeating: 0, count: pieceSize)

  /// Begins to collect.
  ///
  /// - Parameters:
  ///   - descriptor: A pipe, which stays the caller's to close. It must not block.
  ///   - limit: In bytes.
  ///   - excess: What becomes of more.
  ///   - loop: Where it lives.
  /// - Throws: ``EngineError/systemCall(_:_:)`` where the loop cannot watch it.
  init(_ descriptor: Int32, limit: Int, excess: Excess, loop: EventLoop) throws(EngineError) {
    (self.descriptor, self.limit, self.excess, self.loop) = (descriptor, limit, excess, loop)
    token = try loop.watch(descriptor) { [weak self] in self?.take() }
  }

  deinit { stop() }

  /// Calls `body` once when nothing more comes: at once where that is so.
  func whenEnded(_ body: @escaping () -> Void) {
    if end != nil || token == nil { body() } else { onEnd = body }
  }

  /// Takes what is there now, and ends. What is written later is lost.
  func finish() {
    // A pipe holds 64 KiB, unless somebody goes on writing.
    for _ in 0..<16 where token != nil && take() {}
    stop()
  }

  /// Ends without taking anything more.
  func stop() {
    if let token { loop.unwatch(token) }
    token = nil
    let told = onEnd
    onEnd = {}
    told()
  }

  /// Takes one piece, so that a flood leaves the loop to others. Whether there was one.
  @discardableResult
  private func take() -> Bool {
    let count = read(descriptor, &piece, piece.count)
    if count < 0 {
      guard errno != EINTR, errno != EAGAIN else { return errno == EINTR }
      return end(.failed(errno))
    }
    guard count > 0 else { return end(.closed) }
    bytes += piece[..<count]
    guard bytes.count > limit else { return true }
    switch excess {
    case .ends:
      bytes = []
      return end(.exceeded)
    case .dropsBeginning:
      bytes.removeFirst(bytes.count - limit)
      return true
    }
  }

  private func end(_ reason: End) -> Bool {
    end = reason
    stop()
    return false
  }
}
