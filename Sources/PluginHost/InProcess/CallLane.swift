import CPluginGuard
import DequeModule
import Synchronization

/// Lets the calls of one instance, or of one plugin, happen one after the other, without anybody waiting: a call that finds
/// another one under way is made by the thread that makes that one, after it. One that is due while a plugin is calling the host is made on a
/// thread of the host's: see "Threads" in plugin.h.
struct CallLane: ~Copyable, Sendable {
  // Not private: the compiler (6.3.1) gives up in debug builds where another file lays out a lane, and so its state.
  struct State {
    var isBusy = false
    var waiting: Deque<(InProcessInstance, InProcessInstance.Call)> = []
  }

  private let state = Mutex(State())

  /// Makes the call now, or leaves it to another thread.
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

  /// Makes the calls that wait. Only for the thread that has found the lane free.
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

/// The one lane of all instances of a plugin that does not bear two calls at a time.
final class SharedCallLane: Sendable {
  let lane = CallLane()
}
