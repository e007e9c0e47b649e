import CPluginKit
import Synchronization

/// The host's clock, for one instance.
struct HostClock: PluginClock {
  let link: InstanceLink

  func now() -> Timestamp {
    link.host.now().map { Timestamp(nanosecondsSince1970: $0) } ?? SystemOperationClock().now()
  }

  func monotonic() -> Duration {
    link.host.monotonic().map { .nanoseconds($0) } ?? SystemOperationClock().monotonic()
  }

  nonisolated(nonsending) func sleep(until instant: Timestamp) async throws {
    try Task.checkCancellation()
    while now() < instant { try await HostTimer.wait(link, until: instant.nanosecondsSince1970) }
  }

  nonisolated(nonsending) func sleep(atMostUntil instant: Timestamp) async throws {
    try Task.checkCancellation()
    if now() < instant { try await HostTimer.wait(link, until: instant.nanosecondsSince1970) }
  }

  // The contract's timers follow the wall clock, so a delay ends early if that is set forwards: wait again for the rest.
  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try Task.checkCancellation()
    let end = monotonic() + duration
    while case let rest = end - monotonic(), rest > .zero {
      try await HostTimer.wait(link, until: now().advanced(by: rest).nanosecondsSince1970)
    }
  }
}

/// One wait for a timer of the host.
private final class HostTimer: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Void, any Error>?
    var timer: UInt64 = 0
    var isCancelled = false
  }

  private let state = Mutex(State())

  static nonisolated(nonsending) func wait(_ link: InstanceLink, until instant: Int64) async throws {
    let wait = HostTimer()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        wait.begin(continuation, link, until: instant)
      }
    } onCancel: {
      wait.cancel(link)
    }
  }

  private func begin(_ continuation: CheckedContinuation<Void, any Error>, _ link: InstanceLink, until instant: Int64) {
    state.withLock { $0.continuation = continuation }
    let context = Unmanaged.passRetained(self).toOpaque()
    let timer = link.host.timer(link.id, at: instant, context, HostTimer.fire)
    guard timer != 0 else {
      Unmanaged<HostTimer>.fromOpaque(context).release()
      return finish(throwing: CancellationError())
    }
    let isCancelled = state.withLock { state in
      state.timer = timer
      return state.isCancelled
    }
    if isCancelled { end(timer, link) }
  }

  private func cancel(_ link: InstanceLink) {
    let timer = state.withLock { state in
      state.isCancelled = true
      return state.timer
    }
    // If there is no timer yet, `begin` notices.
    if timer != 0 { end(timer, link) }
  }

  /// Does not wait for the host to report that the timer has ended, since the task must end now.
  private func end(_ timer: UInt64, _ link: InstanceLink) {
    finish(throwing: CancellationError())
    link.host.cancelTimer(timer)
  }

  private func finish(throwing error: (any Error)?) {
    let continuation = state.withLock { state in
      defer { state.continuation = nil }
      return state.continuation
    }
    if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
  }

  /// The contract's callback, which is called exactly once for each timer.
  private static let fire: @convention(c) (UnsafeMutableRawPointer?, penstock_status) -> Void = { context, status in
    guard let context else { return }
    let wait = Unmanaged<HostTimer>.fromOpaque(context).takeRetainedValue()
    wait.finish(throwing: status == .ok ? nil : CancellationError())
  }
}
