import CPluginKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One instance from the host's side: its id, and whether the host may still be called about it.
///
/// The contract forbids calls about an instance once its `destroy` has returned. Tasks and threads that it cancels may be about to make a call:
/// either the call ends before `destroy` returns, or they find the handle closed.
final class InstanceHandle: Sendable {
  /// Invariant: a thread is in `inside` once for each call of the host that it is making.
  private struct State {
    var inside: [pthread_t] = []
    var isClosed = false
  }

  let id: penstock_id
  private let state = Mutex(State())

  /// The handle for calls about no instance.
  static let none = InstanceHandle(0)

  init(_ id: penstock_id) { self.id = id }

  /// Runs `body`, which calls the host; nil if the instance no longer exists.
  func enter<Value>(_ body: (penstock_id) -> Value) -> Value? {
    guard id != 0 else { return body(0) }
    let thread = pthread_self()
    let mayEnter = state.withLock { state in
      if !state.isClosed { state.inside.append(thread) }
      return !state.isClosed
    }
    guard mayEnter else { return nil }
    defer {
      state.withLock { state in
        guard let index = state.inside.lastIndex(where: { pthread_equal($0, thread) != 0 }) else { return }
        state.inside.remove(at: index)
      }
    }
    return body(id)
  }

  /// Admits no further calls, and returns when those in progress have ended, which takes as long as one call of the host. Gives up after half a
  /// second: `destroy` has one second.
  ///
  /// A call in progress on this thread is not waited for: that would deadlock.
  func close() {
    let thread = pthread_self()
    state.withLock { $0.isClosed = true }
    for _ in 0..<5000 {
      let isEmpty = state.withLock { $0.inside.allSatisfy { pthread_equal($0, thread) != 0 } }
      if isEmpty { return }
      usleep(100)
    }
  }
}
