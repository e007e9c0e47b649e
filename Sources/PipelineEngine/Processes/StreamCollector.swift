import Glibc

/// Collects the output of a pipe as it arrives, up to a limit.
///
/// Used only on the event loop.
final class StreamCollector: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// How output beyond the limit is handled.
  enum Excess {
    /// Reading stops.
    case ends
    /// The beginning is dropped.
    case dropsBeginning
  }

  /// Why reading ended.
  enum End {
    /// The last writer has closed the pipe.
    case closed
    /// The output exceeded the limit.
    case exceeded
    /// A system call failed with this error number.
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

  /// Starts collecting.
  ///
  /// - Parameters:
  ///   - descriptor: A nonblocking pipe, which the caller still has to close.
  ///   - limit: The limit in bytes.
  ///   - excess: How output beyond the limit is handled.
  ///   - loop: The event loop on which it is used.
  /// - Throws: ``EngineError/systemCall(_:_:)`` if the event loop cannot watch the pipe.
  init(_ descriptor: Int32, limit: Int, excess: Excess, loop: EventLoop) throws(EngineError) {
    (self.descriptor, self.limit, self.excess, self.loop) = (descriptor, limit, excess, loop)
    token = try loop.watch(descriptor) { [weak self] in self?.take() }
  }

  deinit { stop() }

  /// Calls `body` once when reading has ended: immediately if it already has.
  func whenEnded(_ body: @escaping () -> Void) {
    if end != nil || token == nil { body() } else { onEnd = body }
  }

  /// Takes what is available now, and ends. What is written later is lost.
  func finish() {
    // A pipe holds 64 KiB, unless a process keeps writing.
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

  /// Takes one piece, so that a flood of output does not block the event loop. Returns whether there was one.
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
