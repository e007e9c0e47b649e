import DequeModule
import Synchronization

/// Lets the calls of one instance, or of one plugin, happen one after the other, without anybody waiting: a call that finds
/// another one under way is made by the thread that makes that one, after it.
struct CallLane: ~Copyable, Sendable {
  // Not private: the compiler (6.3.1) gives up in debug builds where another file lays out a lane, and so its state.
  struct State {
    var isBusy = false
    var waiting: Deque<(InProcessInstance, InProcessInstance.Call)> = []
  }

  private let state = Mutex(State())

  /// Makes the call now, or leaves it to the thread that is making another one.
  func perform(_ call: InProcessInstance.Call, of instance: InProcessInstance) {
    let isFree = state.withLock { state in
      guard state.isBusy else {
        state.isBusy = true
        return true
      }
      state.waiting.append((instance, call))
      return false
    }
    guard isFree else { return }
    instance.make(call)
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
