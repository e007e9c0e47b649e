import Synchronization

/// An operation that runs once for all its dependents. See ``OperationRequest/shared()``.
public struct SharedOperation<Operation: OperationRequest>: OperationRequest where Operation.Value: Sendable {
  /// The result that the operation produces.
  public typealias Value = Operation.Value
  /// The error that the operation can throw.
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

  /// Runs the operation, unless a copy of this value has run it within the same injection or is running it: then
  /// returns that result.
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
  /// Lets all dependents of copies of the returned value share one execution and its result.
  ///
  /// ```swift
  /// let release = FetchRelease().retry(limit: 3).shared()
  /// let both = [notes.injectResult(from: release), size.injectResult(from: release)].collectResults()
  /// ```
  ///
  /// It is shared within the outermost injection or collection that runs; each run of that, including each attempt of a
  /// retry around it, executes the operation again. A retry belongs before `shared()`, since one after it would get the
  /// same failure again. A cancelled dependent does not affect the others. Intermediate results are not passed on.
  public func shared() -> SharedOperation<Self> {
    SharedOperation(self)
  }
}

/// The identity of a shared operation and its copies.
final class SharedIdentity: Sendable {}

/// The executions shared by the dependents within one injection.
final class SharedExecutions: Sendable {
  private struct Execution {
    /// Retained so that its address is not reused.
    let identity: SharedIdentity
    let task: any Sendable
  }

  private let executions = Mutex<[ObjectIdentifier: Execution]>([:])

  /// Returns the execution of the operation with this identity, created by `make` if there is none.
  func task<Task: Sendable>(of identity: SharedIdentity, _ make: () -> Task) -> Task {
    executions.withLock { executions in
      if let known = executions[ObjectIdentifier(identity)]?.task as? Task { return known }
      let made = make()
      executions[ObjectIdentifier(identity)] = Execution(identity: identity, task: made)
      return made
    }
  }

  /// Releases the executions, whose contexts refer to this object.
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

  /// The executions shared by the dependents within the outermost injection; nil outside of any.
  var sharedExecutions: SharedExecutions? {
    get { self[SharedExecutionsKey.self] }
    set { self[SharedExecutionsKey.self] = newValue }
  }

  /// Starts to share executions, unless an outer injection already does.
  ///
  /// - Returns: The executions that the caller must end; nil if an outer injection does.
  mutating func beginSharing() -> SharedExecutions? {
    guard sharedExecutions == nil else { return nil }
    let begun = SharedExecutions()
    sharedExecutions = begun
    return begun
  }
}
