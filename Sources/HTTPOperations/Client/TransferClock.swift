/// When a transfer has taken too long, by the clock of its client.
enum TransferClock {
  /// The next instant at which a transfer fails if nothing comes or goes before, and how it fails then. Nil if it may
  /// go on for ever.
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

  /// Rounded up, so that nobody wakes too early and spins.
  static func milliseconds(_ duration: Duration) -> Int {
    guard duration > .zero else { return 0 }
    let (seconds, attoseconds) = duration.components
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return Int(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
