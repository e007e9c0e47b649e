import CPluginGuard
import DequeModule
import Synchronization

/// Serialises the calls of one instance, or of one plugin, without blocking: a call that arrives during another one is made afterwards, by the
/// thread that makes the other one. A call that is due while a plugin is calling the host is made on one of the host's threads: see "Threads" in
/// plugin.h.
struct CallLane: ~Copyable, Sendable {
  // Not private: in debug builds, the compiler (6.3.1) fails if another file lays out a lane, and so its state.
  struct State {
    var isBusy = false
    var waiting: Deque<(InProcessInstance, InProcessInstance.Call)> = []
  }

  private let state = Mutex(State())

  /// Makes the call now, or queues it for the thread that is using the lane.
  func perform(_ call: InProcessInstance.Call, of instance: InProcessInstance) {
    let isLater = penstock_guard_is_in_host() != 0
    let isFree = state.withLock { state in
      if state.isBusy || isLater { state.waiting.append((instance, call)) }
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFree else { return }
    guard !isLater else { return CallThreads.shared.run { instance.workOff() } }
    instance.make(call)
    workOff()
  }

  /// Makes the queued calls. Only for the thread that has acquired the lane.
  func workOff() {
    while let (instance, call) = next() { instance.make(call) }
  }

  private func next() -> (InProcessInstance, InProcessInstance.Call)? {
    state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.isBusy = false }
      return next
    }
  }
}

/// The lane shared by all instances of a plugin that does not support two calls at a time.
final class SharedCallLane: Sendable {
  let lane = CallLane()
}
