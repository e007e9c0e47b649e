extension EventLoop {
  /// A time as `epoll_wait` takes it, rounded up so that it does not wake too early and spin. Never negative, which would mean for ever: a timer
  /// may have come due since the last look.
  static func milliseconds(_ duration: Duration) -> Int32 {
    guard duration > .zero else { return 0 }
    let (seconds, attoseconds) = duration.components
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
