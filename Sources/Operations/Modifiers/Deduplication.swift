/// Decides which runs of a store are duplicates, so that one execution serves them all. See
/// ``StatefulOperationRequest/deduplicated()``.
public struct OperationDeduplication: Sendable {
  /// Returns whether a new run would do the same as one that is executing, based on their contexts.
  public typealias Predicate = @Sendable (_ new: OperationContext, _ running: OperationContext) -> Bool

  private let predicate: Predicate?

  /// Treats all runs as duplicates.
  public static let always = OperationDeduplication(predicate: nil)

  /// Treats runs as duplicates if `predicate` is true for their contexts.
  public static func by(_ predicate: @escaping Predicate) -> OperationDeduplication {
    OperationDeduplication(predicate: predicate)
  }

  func isDuplicate(_ new: OperationContext, of running: OperationContext) -> Bool {
    guard let predicate else { return true }
    return predicate(new, running)
  }
}

extension OperationContext {
  enum DeduplicationKey: Key {
    static let defaultValue: OperationDeduplication? = nil
  }

  /// Which runs of the store are duplicates; nil, the default, executes every run.
  public var operationDeduplication: OperationDeduplication? {
    get { self[DeduplicationKey.self] }
    set { self[DeduplicationKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Lets overlapping runs of a store share one execution and its result.
  ///
  /// Whole runs are shared, with all modifiers and retries, regardless of the position of this modifier in the chain;
  /// the innermost choice applies. Each run keeps its own task, events and cancellation: a cancelled run gets
  /// `CancellationError` immediately and does not affect the others, and the execution is cancelled when no run needs
  /// it any more. (If `Failure` cannot be a `CancellationError`, a cancelled run waits for the result with the others.)
  ///
  /// An ``OperationRunner`` keeps no state, so nothing is shared: it executes every run.
  public func deduplicated() -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationDeduplication = .always }
  }

  /// Lets overlapping runs of a store share one execution if `predicate` is true for their contexts, that of the new
  /// run first. See ``deduplicated()``.
  public func deduplicated(
    by predicate: @escaping OperationDeduplication.Predicate
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationDeduplication = .by(predicate) }
  }
}
