/// Computes when a transfer times out.
enum TransferClock {
  /// Returns when and how a transfer fails if no bytes are transferred before. Nil if it has no timeout.
  static func due(_ handle: EasyHandle) -> (
    instant: ContinuousClock.Instant, code: HTTPTransferError.Code, limit: Duration
  )? {
    let timeouts = handle.transfer.request.options.timeouts
    var due: (instant: ContinuousClock.Instant, code: HTTPTransferError.Code, limit: Duration)?
    if let deadline = handle.transfer.deadline, let total = timeouts.total { due = (deadline, .totalTimeout, total) }
    let part: (limit: Duration?, code: HTTPTransferError.Code) =
      switch handle.phase {
      case .queued: (nil, .totalTimeout)
      case .connecting: (timeouts.connect, .connectTimeout)
      case .waiting: (timeouts.firstByte, .firstByteTimeout)
      case .sending: (handle.flow.awaitsUpload ? nil : timeouts.idle, .idleTimeout)
      case .receiving: (handle.flow.standsStill ? nil : timeouts.idle, .idleTimeout)
      }
    if let limit = part.limit {
      let instant = handle.lastActivity + limit
      if due.map({ instant < $0.instant }) ?? true { due = (instant, part.code, limit) }
    }
    return due
  }

  /// Returns a duration in milliseconds, rounded up so that the thread does not wake too early and spin.
  static func milliseconds(_ duration: Duration) -> Int {
    guard duration > .zero else { return 0 }
    let (seconds, attoseconds) = duration.components
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return Int(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
