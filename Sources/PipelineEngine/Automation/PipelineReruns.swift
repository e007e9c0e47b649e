import Operations
import RunHistory
import Synchronization

/// What makes a pipeline run again: a condition on what is new since the latest run began.
///
/// Whatever may make it run is looked at one after the other, on whatever thread it is told. Where a run ends in the moment in which something succeeds, neither
/// is taken for the other.
final class PipelineReruns: Sendable {
  typealias State = QueryState<RunOutcome, any Error>
  typealias Controls = OperationControls<State>
  typealias Rerun = OperationTask<RunOutcome, any Error>

  /// What may make the pipeline run.
  private enum News {
    /// The condition may be another one.
    case change
    /// A run has ended, which had begun when `fresh` was made: true already, or not.
    case end(fresh: AnyOperationRunSpecification, wasTrue: Bool)
    /// What is new since a moment counts.
    case past(RecordTime)
  }

  /// What waits to be looked at.
  private struct Line {
    var waiting: [News] = []
    var isLooking = false
  }

  /// What is known of the condition. Only who looks touches it.
  private struct Known {
    var wasTrue: Bool
    /// Asks for what is new since the condition turned true last; nil where it would have been true of that moment already, as one is that a file is there.
    var further: AnyOperationRunSpecification?
    /// The run that the last turn has caused.
    var rerun: Rerun?
  }

  private let make: @Sendable (ConditionReference) throws -> AnyOperationRunSpecification
  private let current: RenewableSpecification
  private let context: OperationContext
  /// For when the run that goes on has ended, and whether it was true when that began.
  private let next = Mutex<(condition: AnyOperationRunSpecification, wasTrue: Bool)?>(nil)
  private let line = Mutex(Line())
  private let known: Mutex<Known>
  private let controls = Mutex<Controls?>(nil)
  private let onRefusal = Mutex<(@Sendable () -> Void)?>(nil)
  private let following = Mutex<OperationSubscription?>(nil)

  var condition: AnyOperationRunSpecification { AnyOperationRunSpecification(current) }

  init(
    in context: OperationContext,
    _ make: @escaping @Sendable (ConditionReference) throws -> AnyOperationRunSpecification
  ) throws {
    self.context = context
    self.make = make
    current = RenewableSpecification(try make(.now))
    known = Mutex(Known(wasTrue: current.isSatisfied(in: context)))
  }

  /// Begins to run the pipeline by what has turned true since this was made.
  ///
  /// Each further change counts of which no run came: one that came while the latest success was good enough, or nothing was to run by itself, must not be the
  /// last one that is noticed. What the kernel tells of one change several times counts once.
  ///
  /// - Parameter onRefusal: Called when the condition has turned true and no run comes of that. Any thread.
  func follow(onRefusal: @escaping @Sendable () -> Void) {
    self.onRefusal.withLock { $0 = onRefusal }
    let subscription = current.subscribe(in: context) { [weak self] in self?.take(.change) }
    following.withLock { $0 = subscription }
    // What has changed before anybody listened.
    take(.change)
  }

  /// Lets count what is new since a moment of the past, while nobody followed the condition; it turns true by that. One that is true of the present alone, such as that a file
  /// is there, does not: whether it has turned true meanwhile nobody knows.
  func makeUp(since moment: RecordTime) { take(.past(moment)) }

  func runBegins() {
    // What could be made once can be made again.
    guard let made = try? make(.now) else { return }
    let wasTrue = made.isSatisfied(in: context)
    next.withLock { $0 = (made, wasTrue) }
  }

  func runEnded() {
    guard let next = next.withLock({ $0.take() }) else { return }
    take(.end(fresh: next.condition, wasTrue: next.wasTrue))
  }

  // MARK: Looking

  private func take(_ news: News) {
    let begins = line.withLock { line in
      line.waiting.append(news)
      defer { line.isLooking = true }
      return !line.isLooking
    }
    guard begins else { return }
    while let news = first() { look(at: news) }
  }

  private func first() -> News? {
    line.withLock { line in
      line.isLooking = !line.waiting.isEmpty
      return line.isLooking ? line.waiting.removeFirst() : nil
    }
  }

  private func look(at news: News) {
    switch news {
    case .change:
      let isTrue = current.isSatisfied(in: context)
      let wasTrue = note(isTrue)
      if !isTrue { return cancelRerun() }
      if !wasTrue || (!isLoading && isFurther) { turn() }
    case .end(let fresh, let wasTrueAtBegin):
      // This run is over: nothing ends it any more.
      known.withLock { $0.rerun = nil }
      current.renew(fresh)
      let isTrue = current.isSatisfied(in: context)
      let wasTrue = note(isTrue)
      if isTrue, !wasTrue || !wasTrueAtBegin { turn() }
    case .past(let moment):
      guard !current.isSatisfied(in: context), let past = try? make(.since(moment)), past.isSatisfied(in: context)
      else { return }
      current.renew(past)
      _ = note(true)
      turn()
    }
  }

  /// Returns what it was before.
  private func note(_ isTrue: Bool) -> Bool {
    known.withLock { known in
      defer { known.wasTrue = isTrue }
      return known.wasTrue
    }
  }

  private var isLoading: Bool { controls.withLock { $0 }?.state.isLoading ?? false }

  /// Whether something has changed since the condition turned true, or was looked at last.
  private var isFurther: Bool {
    if let further = known.withLock({ $0.further }) { return further.isSatisfied(in: context) }
    // It was true of its moment alone, such as that a file is there. It has not become true again as long as it still is.
    guard let fresh = try? make(.now) else { return false }
    return !fresh.isSatisfied(in: context)
  }

  /// The condition has turned true: the pipeline runs, or is refused to.
  private func turn() {
    let fresh = try? make(.now)
    let further = fresh.flatMap { $0.isSatisfied(in: context) ? nil : $0 }
    known.withLock { $0.further = further }
    guard let controls = controls.withLock({ $0 }) else { return }
    let isWanted = controls.subscriberCount > 0 && controls.isStale
    guard isWanted, let rerun = controls.rerunTaskForSubscribers() else {
      if !controls.state.isLoading { onRefusal.withLock { $0 }?() }
      return
    }
    known.withLock { $0.rerun = rerun }
    rerun.start()
  }

  private func cancelRerun() {
    let rerun = known.withLock { $0.rerun.take() }
    rerun?.cancel()
  }

  // MARK: The store

  fileprivate func begin(_ controls: Controls) -> OperationSubscription {
    self.controls.withLock { $0 = controls }
    return OperationSubscription { [self] in
      let subscription = following.withLock { $0.take() }
      subscription?.cancel()
      cancelRerun()
      // Both refer to this, by the context of the store and by what is said of a refusal.
      let former = (self.controls.withLock { $0.take() }, onRefusal.withLock { $0.take() })
      _ = former
    }
  }
}

/// Lets reruns control the store of their pipeline; without any, nothing does.
struct PipelineRerunController: OperationController {
  let reruns: PipelineReruns?

  func control(with controls: PipelineReruns.Controls) -> OperationSubscription {
    reruns?.begin(controls) ?? .empty
  }
}
