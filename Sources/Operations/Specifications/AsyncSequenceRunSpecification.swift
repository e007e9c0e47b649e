import Synchronization

/// The newest element of an asynchronous sequence of booleans. See
/// ``OperationRunSpecification/observing(_:initialValue:clock:)``.
///
/// The sequence is iterated from the creation of the specification until its last copy is released, with or without
/// subscribers. Copies share one iteration.
public struct AsyncSequenceRunSpecification: OperationRunSpecification {
  private let observation: SequenceObservation

  /// Iterates `sequence`, whose first element replaces `initialValue`.
  ///
  /// - Parameters:
  ///   - sequence: The values.
  ///   - initialValue: The value before the first element.
  ///   - clock: The clock that timestamps changes, for descriptions. The system's by default.
  public init<Values: AsyncSequence & Sendable>(
    _ sequence: Values, initialValue: Bool, clock: any OperationClock = .system
  ) where Values.Element == Bool {
    observation = SequenceObservation(sequence, initialValue: initialValue, clock: clock)
  }

  /// Returns the newest element.
  public func isSatisfied(in context: OperationContext) -> Bool {
    observation.values.isSatisfied
  }

  /// Calls `onChange` after each element that differs from the previous one.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    let subscription = observation.values.subscribe(onChange)
    // The subscription is useful only as long as the iteration continues, so it retains the iteration.
    return OperationSubscription { [observation] in withExtendedLifetime(observation) { subscription.cancel() } }
  }

  /// Returns `observed`, its value and the time of the last change, and whether the sequence has ended.
  public func description(in context: OperationContext) -> SpecificationDescription {
    observation.values.description(in: context)
  }
}

extension OperationRunSpecification where Self == AsyncSequenceRunSpecification {
  /// Satisfied while the newest element of `sequence` is true.
  ///
  /// The sequence is iterated from now on until the specification and its subscriptions are released. If it ends or
  /// fails, the last value remains.
  ///
  /// - Parameters:
  ///   - sequence: The values.
  ///   - initialValue: The value before the first element.
  ///   - clock: The clock that timestamps changes, for descriptions. The system's by default.
  /// - Returns: A specification whose copies share one iteration.
  public static func observing<Values: AsyncSequence & Sendable>(
    _ sequence: Values, initialValue: Bool, clock: any OperationClock = .system
  ) -> AsyncSequenceRunSpecification where Values.Element == Bool {
    AsyncSequenceRunSpecification(sequence, initialValue: initialValue, clock: clock)
  }
}

/// An iteration that ends when it is released.
private final class SequenceObservation: Sendable {
  let values: ObservedValues
  private let iteration: Task<Void, Never>

  init<Values: AsyncSequence & Sendable>(
    _ sequence: Values, initialValue: Bool, clock: any OperationClock
  ) where Values.Element == Bool {
    let values = ObservedValues(initialValue, clock: clock)
    self.values = values
    iteration = Task {
      do {
        for try await value in sequence { values.take(value) }
        values.end(with: nil)
      } catch {
        values.end(with: "\(error)")
      }
    }
  }

  deinit { iteration.cancel() }
}

/// The values produced by an iteration so far. Written only by the iteration.
private final class ObservedValues: Sendable {
  private struct History {
    var changedAt: Timestamp?
    var ending: String?
  }

  private let current: Atomic<Bool>
  private let history = Mutex(History())
  private let handlers = HandlerList<Void>()
  private let clock: any OperationClock

  init(_ initialValue: Bool, clock: any OperationClock) {
    current = Atomic(initialValue)
    self.clock = clock
  }

  var isSatisfied: Bool { current.load(ordering: .acquiring) }

  func subscribe(_ onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
    handlers.subscribe { onChange() }
  }

  func take(_ value: Bool) {
    guard value != isSatisfied else { return }
    let now = clock.now()
    history.withLock { $0.changedAt = now }
    current.store(value, ordering: .releasing)
    handlers.notify(())
  }

  func end(with error: String?) {
    history.withLock { $0.ending = error.map { "the sequence failed: \($0)" } ?? "the sequence has ended" }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let history = history.withLock { $0 }
    let plain = SpecificationDescription(
      name: "observed", isSatisfied: isSatisfied, changedAt: history.changedAt, in: context)
    guard let ending = history.ending else { return plain }
    return SpecificationDescription(
      formula: plain.formula, reason: "\(plain.reason) (\(ending))", isSatisfied: plain.isSatisfied,
      changedAt: plain.changedAt)
  }
}
