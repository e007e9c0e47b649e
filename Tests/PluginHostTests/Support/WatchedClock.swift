import Synchronization

@testable import PluginHost

/// A clock that stands still until a test advances it, and notifies the test when something waits for it.
final class WatchedClock: PluginClock {
  private struct State {
    /// The requested delays that the test has not yet been notified of.
    var begun: [Duration] = []
    var waiting: [(delay: Duration, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let clock = ManualPluginClock()
  private let state = Mutex(State())

  func now() -> Int64 { clock.now() }
  func monotonic() -> Int64 { clock.monotonic() }

  func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm { clock.wake(at: instant, body) }

  func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    let alarm = clock.wake(after: delay, body)
    let ready = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let index = state.waiting.firstIndex(where: { $0.delay == delay }) else {
        state.begun.append(delay)
        return nil
      }
      return state.waiting.remove(at: index).continuation
    }
    ready?.resume()
    return alarm
  }

  /// Returns once something waits for `delay` that has not been reported yet.
  func begins(_ delay: Duration) async {
    await withCheckedContinuation { continuation in
      let hasBegun = state.withLock { state in
        guard let index = state.begun.firstIndex(of: delay) else {
          state.waiting.append((delay, continuation))
          return false
        }
        state.begun.remove(at: index)
        return true
      }
      if hasBegun { continuation.resume() }
    }
  }

  func advance(by duration: Duration) { clock.advance(by: duration) }
}
