import Operations
import Synchronization

/// A condition that is replaced after each run, so that what changed or succeeded before that run began no longer counts.
///
/// Subscribers are notified of the replacement as of a change. May be used from any thread.
final class RenewableSpecification: OperationRunSpecification {
  private struct State {
    var current: AnyOperationRunSpecification
    var followers: [Int: Follower] = [:]
    var lastID = 0
  }

  /// One subscription, which outlasts the individual conditions.
  private final class Follower: Sendable {
    let context: OperationContext
    let onChange: @Sendable () -> Void
    private let inner = Mutex<OperationSubscription?>(nil)

    init(context: OperationContext, onChange: @escaping @Sendable () -> Void) {
      self.context = context
      self.onChange = onChange
    }

    func follow(_ condition: AnyOperationRunSpecification?) {
      let next = condition?.subscribe(in: context, onChange: onChange)
      let former = inner.withLock { inner in
        defer { inner = next }
        return inner
      }
      former?.cancel()
    }
  }

  private let state: Mutex<State>

  init(_ condition: AnyOperationRunSpecification) {
    state = Mutex(State(current: condition))
  }

  /// Replaces the condition.
  func renew(_ condition: AnyOperationRunSpecification) {
    let followers = state.withLock { state in
      state.current = condition
      return state.followers.sorted { $0.key < $1.key }.map(\.value)
    }
    for follower in followers {
      follower.follow(condition)
      follower.onChange()
    }
  }

  private var current: AnyOperationRunSpecification { state.withLock { $0.current } }

  func isSatisfied(in context: OperationContext) -> Bool { current.isSatisfied(in: context) }

  func value(in context: OperationContext) -> Bool? { current.value(in: context) }

  func subscribe(in context: OperationContext, onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
    let follower = Follower(context: context, onChange: onChange)
    let (id, current) = state.withLock { state in
      state.lastID += 1
      state.followers[state.lastID] = follower
      return (state.lastID, state.current)
    }
    follower.follow(current)
    return OperationSubscription { [self] in
      let removed = state.withLock { $0.followers.removeValue(forKey: id) }
      removed?.follow(nil)
    }
  }

  func description(in context: OperationContext) -> SpecificationDescription { current.description(in: context) }
}
