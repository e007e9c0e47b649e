import Operations
import Synchronization

/// A condition that is put in the place of another one after each run, so that what has changed or succeeded before that run began no longer counts.
///
/// In the moment between the two it is false, for whoever counts how often it turns true, and is described as the one before: nothing in the world is
/// different. Any thread.
final class RenewableSpecification: OperationRunSpecification {
  private struct State {
    /// The latest condition.
    var latest: AnyOperationRunSpecification
    /// Whether another one is about to take its place.
    var isBetween = false
    var followers: [Int: Follower] = [:]
    var lastID = 0

    /// nil in the moment between two conditions.
    var current: AnyOperationRunSpecification? { isBetween ? nil : latest }
  }

  /// One subscription, which lasts longer than that to a condition.
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
    state = Mutex(State(latest: condition))
  }

  /// Puts `condition` in the place of the one before. With `mayTurnTrue`, it counts as turned true when it is, also where the one before was.
  func renew(_ condition: AnyOperationRunSpecification, mayTurnTrue: Bool) {
    if mayTurnTrue { replace(nil) }
    replace(condition)
  }

  /// Lets the condition count as turned true once more, if it is true.
  func turnTrueAgain() {
    guard let current = state.withLock({ $0.current }) else { return }
    renew(current, mayTurnTrue: true)
  }

  func isSatisfied(in context: OperationContext) -> Bool {
    state.withLock { $0.current }?.isSatisfied(in: context) ?? false
  }

  func value(in context: OperationContext) -> Bool? {
    guard let current = state.withLock({ $0.current }) else { return false }
    return current.value(in: context)
  }

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

  func description(in context: OperationContext) -> SpecificationDescription {
    state.withLock { $0.latest }.description(in: context)
  }

  private func replace(_ condition: AnyOperationRunSpecification?) {
    let followers = state.withLock { state in
      state.isBetween = condition == nil
      if let condition { state.latest = condition }
      return state.followers.sorted { $0.key < $1.key }.map(\.value)
    }
    for follower in followers {
      follower.follow(condition)
      follower.onChange()
    }
  }
}
