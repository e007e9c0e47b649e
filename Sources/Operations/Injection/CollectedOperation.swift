/// Runs several operations in parallel and returns all their results, in the order in which the operations were given.
/// See `collectResults(atOnce:)` of collections of operations.
///
/// Each operation sets up its own copy of the context. All of them run to completion even if one fails: failures are
/// reported together, and no result is lost silently.
public struct CollectedOperation<Element: OperationRequest, Output>: OperationRequest {
  /// Transforms one result.
  public typealias Transform = @Sendable (Element.Value) throws -> [Output]

  /// The operations whose results are collected.
  public let operations: [Element]
  /// The maximum number of operations that run at once; nil means no limit.
  public let limit: Int?
  private let transform: Transform

  init(_ operations: [Element], atOnce limit: Int?, transform: @escaping Transform) {
    precondition(limit.map { $0 > 0 } ?? true, "the limit must be at least 1")
    self.operations = operations
    self.limit = limit
    self.transform = transform
  }

  /// Runs the operations.
  ///
  /// Throws ``CollectedResultsError`` if an operation or the transform of its result threw, and `CancellationError` if
  /// the task was cancelled.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<[Output], any Error>
  ) async throws -> [Output] {
    let slots = operations.map { _ in ChildTaskSlot<[Output]>() }
    var nested = context.forNestedOperation()
    let sharing = nested.beginSharing()
    defer { sharing?.end() }
    let context = nested
    await withTaskGroup(of: Void.self, isolation: isolation) { group in
      for (index, operation) in operations.enumerated() {
        if let limit, index >= limit { await group.next() }
        guard !Task.isCancelled else { break }
        group.addImmediateTask { [transform] in
          await Self.fill(slots[index], with: operation, isolation: isolation, in: context, transform)
        }
      }
      await group.waitForAll()
    }
    try Task.checkCancellation()
    var failures: [CollectedResultsError.Failure] = []
    var results: [Output] = []
    results.reserveCapacity(slots.count)
    for (index, slot) in slots.enumerated() {
      // Operations are only left unstarted in a cancelled task.
      switch slot.result ?? .failure(CancellationError()) {
      case .success(let values): results += values
      case .failure(let failure as TransformFailure):
        failures.append(CollectedResultsError.Failure(index: index, error: failure.error, kind: .transform))
      case .failure(let error):
        failures.append(CollectedResultsError.Failure(index: index, error: error, kind: .init(throwing: error)))
      }
    }
    guard failures.isEmpty else { throw CollectedResultsError(failures: failures, count: operations.count) }
    return results
  }

  private static func fill(
    _ slot: ChildTaskSlot<[Output]>, with operation: Element, isolation: isolated (any Actor)?,
    in context: OperationContext, _ transform: Transform
  ) async {
    var context = context
    operation.setup(context: &context)
    do {
      let value = try await operation.run(isolation: isolation, in: context, with: OperationContinuation())
      do {
        slot.result = .success(try transform(value))
      } catch {
        slot.result = .failure(TransformFailure(error: error))
      }
    } catch {
      slot.result = .failure(error)
    }
  }
}

/// An error thrown by a transform, to distinguish it from one thrown by its operation.
private struct TransformFailure: Error {
  let error: any Error
}

/// An error of a collection in which some operations have no result.
public struct CollectedResultsError: Error, CustomStringConvertible {
  /// An operation without a result.
  public struct Failure: Sendable {
    /// The reason why there is no result.
    public enum Kind: Sendable, Hashable, CaseIterable {
      /// The operation failed.
      case failed
      /// The operation was cancelled, by itself or because of one of its dependencies.
      case cancelled
      /// The operation decided not to run.
      case skipped
      /// The operation has a result, and its transform threw.
      case transform

      init(throwing error: any Error) {
        switch DependencyOutcome<Void>(throwing: error).kind {
        case .cancelled: self = .cancelled
        case .skipped: self = .skipped
        case .succeeded, .succeededWithoutResult, .failed, .failedAllowed: self = .failed
        }
      }
    }

    /// The operation's index, from 0.
    public let index: Int
    /// The error thrown by the operation or by the transform of its result.
    public let error: any Error
    /// The reason why there is no result.
    public let kind: Kind
  }

  /// The operations without a result, in order; at least one.
  public let failures: [Failure]
  /// The total number of operations.
  public let count: Int

  /// The identifier of this failure in history and filters.
  public var code: String { "results-missing" }

  /// A description for people.
  public var description: String {
    var parts: [String] = []
    var first: Failure?
    for kind in Failure.Kind.allCases {
      let some = failures.filter { $0.kind == kind }
      guard !some.isEmpty else { continue }
      first = first ?? some.first
      parts.append("\(some.count) \(kind.predicate(of: some.count))")
    }
    return "of \(count) operations, \(parts.joined(separator: ", "))"
      + (first.map { "; number \($0.index) with: \($0.error)" } ?? "")
  }
}

extension CollectedResultsError.Failure.Kind {
  fileprivate func predicate(of count: Int) -> String {
    switch self {
    case .failed: "failed"
    case .cancelled: count == 1 ? "was cancelled" : "were cancelled"
    case .skipped: count == 1 ? "was skipped" : "were skipped"
    case .transform: "\(count == 1 ? "has a result" : "have results") that could not be transformed"
    }
  }
}

extension Collection where Element: OperationRequest {
  /// Returns an operation whose result is the results of all these operations, in order. At most `limit` of them run at
  /// once; it must be at least 1, and nil, the default, means no limit.
  public func collectResults(atOnce limit: Int? = nil) -> CollectedOperation<Element, Element.Value> {
    CollectedOperation(Array(self), atOnce: limit) { [$0] }
  }

  /// Returns an operation whose result is the transformed results, in order.
  public func mapResults<Output>(
    atOnce limit: Int? = nil, _ transform: @escaping @Sendable (Element.Value) throws -> Output
  ) -> CollectedOperation<Element, Output> {
    CollectedOperation(Array(self), atOnce: limit) { [try transform($0)] }
  }

  /// Returns an operation whose result is the concatenation of the lists that `transform` returns, in order.
  public func flatMapResults<Output>(
    atOnce limit: Int? = nil, _ transform: @escaping @Sendable (Element.Value) throws -> [Output]
  ) -> CollectedOperation<Element, Output> {
    CollectedOperation(Array(self), atOnce: limit, transform: transform)
  }
}

extension RequirementOperation {
  /// Uses the results of all `dependencies`, in order, as the requirement. If any of them fails or is cancelled, this
  /// operation is cancelled with ``InjectionError/dependencyFailed(_:)`` or ``InjectionError/dependencyCancelled(_:)``,
  /// which contains a ``CollectedResultsError``. If some were only skipped, this operation is skipped.
  public func injectResults<Dependencies: Collection>(
    from dependencies: Dependencies
  ) -> InjectedOperation<CollectedOperation<Dependencies.Element, Dependencies.Element.Value>, Self>
  where Dependencies.Element: OperationRequest, Requirement == [Dependencies.Element.Value] {
    injectResult(from: dependencies.collectResults())
  }
}
