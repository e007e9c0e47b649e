import Synchronization

/// An operation that runs once for all who depend on it. See ``OperationRequest/shared()``.
public struct SharedOperation<Operation: OperationRequest>: OperationRequest where Operation.Value: Sendable {
  /// What the operation produces.
  public typealias Value = Operation.Value
  /// What the operation can throw.
  public typealias Failure = Operation.Failure

  /// The operation that runs.
  public let operation: Operation
  private let identity = SharedIdentity()

  init(_ operation: Operation) {
    self.operation = operation
  }

  /// Lets the operation write into the context.
  public func setup(context: inout OperationContext) {
    operation.setup(context: &context)
  }

  /// Runs the operation, unless a copy of this value has run it within the same injection, or does: then its result is
  /// awaited.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure>
  ) async throws(Operation.Failure) -> Operation.Value {
    guard let executions = context.sharedExecutions else {
      return try await operation.run(isolation: isolation, in: context, with: continuation)
    }
    let task = executions.task(of: identity) {
      OperationTask<Value, Failure>(context: context) { [operation] context throws(Failure) in
        try await operation.run(isolation: nil, in: context, with: OperationContinuation())
      }
    }
    return try await task.runIfNeeded()
  }
}

extension OperationRequest where Value: Sendable {
  /// Lets all who depend on copies of the returned value share one execution and its result.
  ///
  /// ```swift
  /// let release = FetchRelease().retry(limit: 3).shared()
  /// let both = [notes.injectResult(from: release), size.injectResult(from: release)].collectResults()
  /// ```
  ///
  /// It is shared within the outermost injection or collection that runs; each run of that executes it anew, and so does
  /// each attempt of a retry around that. A retry belongs before `shared()`, since one after it would get the same failure
  /// again. A dependent that is cancelled leaves the others alone. Intermediate results are not handed on.
  public func shared() -> SharedOperation<Self> {
    SharedOperation(self)
  }
}

/// Tells one shared operation, with its copies, from all others.
final class SharedIdentity: Sendable {}

/// The executions that the dependents within one injection share.
final class SharedExecutions: Sendable {
  private struct Execution {
    /// Kept, so that no other gets its address.
    let identity: SharedIdentity
    let task: any Sendable
  }

  private let executions = Mutex<[ObjectIdentifier: Execution]>([:])

  /// The execution of the operation with this identity, made by `make` where there is none.
  func task<Task: Sendable>(of identity: SharedIdentity, _ make: () -> Task) -> Task {
    executions.withLock { executions in
      if let known = executions[ObjectIdentifier(identity)]?.task as? Task { return known }
      let made = make()
      executions[ObjectIdentifier(identity)] = Execution(identity: identity, task: made)
      return made
    }
  }

  /// Lets go of them: their contexts refer to this object.
  func end() {
    let released = executions.withLock { executions in
      defer { executions = [:] }
      return executions
    }
    _ = released
  }
}

extension OperationContext {
  private enum SharedExecutionsKey: Key {
    static let defaultValue: SharedExecutions? = nil
  }

  /// What the dependents within the outermost injection share; nil outside of any.
  var sharedExecutions: SharedExecutions? {
    get { self[SharedExecutionsKey.self] }
    set { self[SharedExecutionsKey.self] = newValue }
  }

  /// Begins to share executions, unless that has been done further out.
  ///
  /// - Returns: What the caller has to end; nil where that is the task of another.
  mutating func beginSharing() -> SharedExecutions? {
    guard sharedExecutions == nil else { return nil }
    let begun = SharedExecutions()
    sharedExecutions = begun
    return begun
  }
}
