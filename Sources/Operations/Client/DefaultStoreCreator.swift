/// A store creator that adds the defaults of an ``OperationClientConfiguration``.
///
/// | added | queries | paginated requests | mutations |
/// |---|---|---|---|
/// | retry, backoff, delayer | yes | yes | yes |
/// | automatic running | yes | yes | no |
/// | rerun on change | yes | yes | no |
/// | deduplication | of all runs | of runs that fetch the same pages | no |
///
/// Choices in the default context take precedence over these, and those of a request over both.
public struct DefaultStoreCreator: OperationStoreCreator {
  /// The defaults to add.
  public let configuration: OperationClientConfiguration

  /// Creates a store creator that adds the defaults of `configuration`.
  public init(configuration: OperationClientConfiguration = OperationClientConfiguration()) {
    self.configuration = configuration
  }

  /// Returns the default context with the choices of the configuration.
  public func context(for kind: OperationKind, from defaultContext: OperationContext) -> OperationContext {
    var context = defaultContext
    let chosen = defaultContext.retryScope
    context.retryScope = RetryScope(
      pending: 1, maxRetries: max(chosen.isChosen ? chosen.maxRetries : configuration.retryLimit, 0))
    if let backoff = configuration.backoff {
      context.setDefault(OperationContext.BackoffKey.self, to: backoff)
    }
    if let delayer = configuration.delayer {
      context.setDefault(OperationContext.DelayerKey.self, to: delayer)
    }
    guard kind != .mutation else { return context }
    context.setDefault(OperationContext.AutomaticRunningKey.self, to: configuration.automaticRunning)
    if configuration.deduplicates {
      context.setDefault(OperationContext.DeduplicationKey.self, to: kind == .pagination ? .byPage : .always)
    }
    return context
  }

  /// Returns the operation with a retry and with a controller that reruns it.
  public func modify<Operation: StatefulOperationRequest>(
    _ operation: Operation, of kind: OperationKind
  ) -> any StatefulOperationRequest<Operation.State> {
    let retried = AnnouncedRetry(operation: operation)
    guard kind != .mutation, let rerun = configuration.rerun else { return retried }
    return retried.rerunOnChange(of: AnyOperationRunSpecification(rerun))
  }
}

/// A request with a retry that the context already knows about, so that its stores share one entry and store nothing
/// themselves.
///
/// It is not a modifier, because that would add another layer to every run.
struct AnnouncedRetry<Operation: StatefulOperationRequest>: StatefulOperationRequest {
  typealias State = Operation.State

  let operation: Operation

  var path: OperationPath { operation.path }

  func setup(context: inout OperationContext) {
    operation.setup(context: &context)
  }

  func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure>
  ) async throws(Operation.Failure) -> Operation.Value {
    try await operation.runRetried(RetryPolicy(), isolation: isolation, in: context, with: continuation)
  }
}

extension OperationDeduplication {
  /// Deduplicates runs that fetch the same part of a list.
  static let byPage = OperationDeduplication.by { $0.pagingKind == $1.pagingKind }
}

extension OperationContext {
  /// Sets `key` unless it has a value.
  mutating func setDefault<K: Key>(_ key: K.Type, to value: K.Value) {
    if !hasValue(for: key) { self[key] = value }
  }
}
