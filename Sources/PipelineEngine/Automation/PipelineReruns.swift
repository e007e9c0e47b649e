import Operations
import RunHistory
import Synchronization

/// Runs a pipeline again by a condition on what is new since the latest run began.
///
/// Whatever may make it run is handled one after another, on the thread that reports it. If a run ends at the moment when something succeeds, the two
/// are not confused.
final class PipelineReruns: Sendable {
  typealias State = QueryState<RunOutcome, any Error>
  typealias Controls = OperationControls<State>
  typealias Rerun = OperationTask<RunOutcome, any Error>

  /// What may make the pipeline run.
  private enum News {
    /// The condition may have changed.
    case change
    /// A run has ended. `fresh` was created when it began, and `wasTrue` is its value at that time.
    case end(fresh: AnyOperationRunSpecification, wasTrue: Bool)
    /// What is new since a time in the past counts.
    case past(RecordTime)
  }

  /// What waits to be handled.
  private struct Line {
    var waiting: [News] = []
    var isLooking = false
  }

  /// What is known about the condition. Accessed only by the thread that handles news.
  private struct Known {
    var wasTrue: Bool
    /// Evaluates what is new since the condition last became true; nil if it would already have been true at that time, as for a file that exists.
    var further: AnyOperationRunSpecification?
    /// The run that the latest turn has caused.
    var rerun: Rerun?
  }

  private let make: @Sendable (ConditionReference) throws -> AnyOperationRunSpecification
  private let current: RenewableSpecification
  private let context: OperationContext
  /// The condition for when the current run has ended, and its value when that run began.
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

  /// Starts to run the pipeline for what has become true since this was created.
  ///
  /// Each further change that leads to no run counts: one that occurred while the latest success was still fresh, or while nothing was to run by
  /// itself, must not be the last one noticed. A change that the kernel reports several times counts once.
  ///
  /// - Parameter onRefusal: Called on any thread when the condition has become true without leading to a run.
  func follow(onRefusal: @escaping @Sendable () -> Void) {
    self.onRefusal.withLock { $0 = onRefusal }
    let subscription = current.subscribe(in: context) { [weak self] in self?.take(.change) }
    following.withLock { $0 = subscription }
    // What has changed before the subscription.
    take(.change)
  }

  /// Lets what is new since a time in the past count, during which the condition was not observed; it may become true by that. A condition on the
  /// present only, such as the existence of a file, does not: whether it became true in the meantime is unknown.
  func makeUp(since moment: RecordTime) { take(.past(moment)) }

  func runBegins() {
    // It was created once, so it can be created again.
    guard let made = try? make(.now) else { return }
    let wasTrue = made.isSatisfied(in: context)
    next.withLock { $0 = (made, wasTrue) }
  }

  func runEnded() {
    guard let next = next.withLock({ $0.take() }) else { return }
    take(.end(fresh: next.condition, wasTrue: next.wasTrue))
  }

  // MARK: Handling news

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
      // This run is over, and no longer needs to be cancelled.
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

  /// Notes the value, and returns the previous one.
  private func note(_ isTrue: Bool) -> Bool {
    known.withLock { known in
      defer { known.wasTrue = isTrue }
      return known.wasTrue
    }
  }

  private var isLoading: Bool { controls.withLock { $0 }?.state.isLoading ?? false }

  /// Whether something has changed since the condition became true, or was last evaluated.
  private var isFurther: Bool {
    if let further = known.withLock({ $0.further }) { return further.isSatisfied(in: context) }
    // It was already true when it was created, as for a file that exists. It has not become true again as long as it still is.
    guard let fresh = try? make(.now) else { return false }
    return !fresh.isSatisfied(in: context)
  }

  /// The condition has become true: starts a run, or reports that none is started.
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
      // Both retain this object: the controls by the store's context, the closure by what it captures.
      let former = (self.controls.withLock { $0.take() }, onRefusal.withLock { $0.take() })
      _ = former
    }
  }
}

/// Lets reruns control the store of their pipeline; does nothing without any.
struct PipelineRerunController: OperationController {
  let reruns: PipelineReruns?

  func control(with controls: PipelineReruns.Controls) -> OperationSubscription {
    reruns?.begin(controls) ?? .empty
  }
}
