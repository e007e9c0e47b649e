/// Which runs of a store are the same, so that one execution serves them all. See
/// ``StatefulOperationRequest/deduplicated()``.
public struct OperationDeduplication: Sendable {
  /// Decides, by the contexts of a new run and of one that executes, whether the new one would do the same.
  public typealias Predicate = @Sendable (_ new: OperationContext, _ running: OperationContext) -> Bool

  private let predicate: Predicate?

  /// All runs are the same.
  public static let always = OperationDeduplication(predicate: nil)

  /// Runs for whose contexts `predicate` is true are the same.
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

  /// Which runs of the store are the same; nil, the default, executes each.
  public var operationDeduplication: OperationDeduplication? {
    get { self[DeduplicationKey.self] }
    set { self[DeduplicationKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Lets runs of a store that overlap share one execution and its result.
  ///
  /// Whole runs are shared, with all modifiers and their retries, wherever in the chain this one stands; the innermost
  /// choice counts. Each run keeps its own task, events and cancellation: a run that is cancelled gets
  /// `CancellationError` at once and leaves the others alone, and the execution is cancelled when no run wants it any
  /// more. (Where `Failure` cannot be a `CancellationError`, a cancelled run waits for the result with the others.)
  ///
  /// A ``OperationRunner`` keeps nothing, so there is nothing to share: it executes each run.
  public func deduplicated() -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationDeduplication = .always }
  }

  /// Lets overlapping runs of a store share one execution when `predicate` is true for their contexts, that of the new
  /// run first. See ``deduplicated()``.
  public func deduplicated(
    by predicate: @escaping OperationDeduplication.Predicate
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationDeduplication = .by(predicate) }
  }
}
