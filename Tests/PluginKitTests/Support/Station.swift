import PluginKit
import Synchronization

/// A thermometer for the documented plugin.
final class Station: Sendable {
  static let shared = Station()

  private let state = Mutex<(degrees: Double, observers: [Int: @Sendable (Double) -> Void], last: Int)>((15, [:], 0))

  var degrees: Double {
    get { state.withLock { $0.degrees } }
    set {
      let observers = state.withLock { state in
        state.degrees = newValue
        return Array(state.observers.values)
      }
      for observer in observers { observer(newValue) }
    }
  }

  func observe(_ observer: @escaping @Sendable (Double) -> Void) -> OperationSubscription {
    let id = state.withLock { state in
      state.last += 1
      state.observers[state.last] = observer
      return state.last
    }
    return OperationSubscription { self.state.withLock { $0.observers[id] = nil } }
  }
}
