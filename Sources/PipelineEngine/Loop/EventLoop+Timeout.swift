extension EventLoop {
  /// Converts a duration for `epoll_wait`, rounded up so that it does not wake too early and spin. Never negative, which would mean indefinitely: a
  /// timer may have become due since it was last checked.
  static func milliseconds(_ duration: Duration) -> Int32 {
    guard duration > .zero else { return 0 }
    let (seconds, attoseconds) = duration.components
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
