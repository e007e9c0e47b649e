import Operations
import RunHistory
import Synchronization

/// What makes a pipeline run again: a condition on what is new since the latest run began.
final class PipelineReruns: Sendable {
  private let make: @Sendable (ConditionReference) throws -> AnyOperationRunSpecification
  private let current: RenewableSpecification
  /// For when the run that goes on has ended, and whether it was true when that began.
  private let next = Mutex<(condition: AnyOperationRunSpecification, wasTrue: Bool)?>(nil)
  /// Asks for what is new since the condition turned true last; nil where it would have been true of that moment already, as one is that a file is there.
  private let further = Mutex<AnyOperationRunSpecification?>(nil)
  private let context: OperationContext
  private let wasTrue = Mutex(false)
  private let following = Mutex<OperationSubscription?>(nil)

  var condition: AnyOperationRunSpecification { AnyOperationRunSpecification(current) }

  init(
    in context: OperationContext,
    _ make: @escaping @Sendable (ConditionReference) throws -> AnyOperationRunSpecification
  ) throws {
    self.context = context
    self.make = make
    current = RenewableSpecification(try make(.now))
  }

  /// Lets each further change count of which no run came: one that came while the latest success was good enough, or nothing was to run by itself, must not
  /// be the last one that is noticed. What the kernel tells of one change several times counts once.
  ///
  /// To be called when the controllers of `store` follow the condition, which must hear of a change first. `onRefusal` is called when it has turned true and no
  /// run came of that.
  func follow(_ store: OperationStore<QueryState<RunOutcome, any Error>>, onRefusal: @escaping @Sendable () -> Void) {
    wasTrue.withLock { $0 = current.isSatisfied(in: context) }
    let subscription = current.subscribe(in: context) { [weak self, weak store] in
      guard let self, let store else { return }
      let isSatisfied = current.isSatisfied(in: context)
      let wasTrue = wasTrue.withLock { wasTrue in
        defer { wasTrue = isSatisfied }
        return wasTrue
      }
      guard isSatisfied else { return }
      guard wasTrue else {
        lookFurther()
        if !store.isLoading { onRefusal() }
        return
      }
      if !store.isLoading, isNews { current.turnTrueAgain() }
    }
    following.withLock { $0 = subscription }
  }

  /// Lets count what is new since a moment of the past, while nobody followed the condition; it turns true by that. One that is true of the present alone, such as that a file
  /// is there, does not: whether it has turned true meanwhile nobody knows.
  func makeUp(since moment: RecordTime) {
    guard !current.isSatisfied(in: context), let past = try? make(.since(moment)), past.isSatisfied(in: context) else {
      return
    }
    current.renew(past, mayTurnTrue: true)
  }

  /// What is new counts from now on.
  private func lookFurther() {
    let fresh = try? make(.now)
    further.withLock { $0 = fresh.flatMap { $0.isSatisfied(in: context) ? nil : $0 } }
  }

  /// Whether something has changed since the condition turned true, or was looked at last.
  private var isNews: Bool {
    if let further = further.withLock({ $0 }) { return further.isSatisfied(in: context) }
    // It was true of its moment alone, such as that a file is there. It has not become true again as long as it still is.
    guard let fresh = try? make(.now) else { return false }
    return !fresh.isSatisfied(in: context)
  }

  func runBegins() {
    // What could be made once can be made again.
    guard let made = try? make(.now) else { return }
    let wasTrue = made.isSatisfied(in: context)
    next.withLock { $0 = (made, wasTrue) }
  }

  func runEnded() {
    let next = next.withLock { $0.take() }
    guard let next else { return }
    current.renew(next.condition, mayTurnTrue: !next.wasTrue)
  }
}
