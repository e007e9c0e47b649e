import Logging

/// Logs the duration of each run. See ``OperationRequest/logDuration(with:at:)``.
public struct LogDurationModifier<Operation: OperationRequest>: OperationModifier {
  /// The logger; nil means the context's `operationLogger`.
  public let logger: Logger?
  /// The log level.
  public let level: Logger.Level

  init(logger: Logger?, level: Logger.Level) {
    self.logger = logger
    self.level = level
  }

  /// Runs `operation` and logs its duration and outcome.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure>
  ) async throws(Operation.Failure) -> Operation.Value {
    let clock = context.operationClock
    let start = clock.monotonic()
    do {
      let value = try await operation.run(isolation: isolation, in: context, with: continuation)
      log(clock.monotonic() - start, error: nil, in: context)
      return value
    } catch {
      log(clock.monotonic() - start, error: error, in: context)
      throw error
    }
  }

  private func log(_ duration: Duration, error: (any Error)?, in context: OperationContext) {
    var metadata: Logger.Metadata = ["operation": "\(Operation.self)", "duration": "\(duration)"]
    if let error { metadata["error"] = "\(error)" }
    (logger ?? context.operationLogger).log(
      level: level, error == nil ? "operation succeeded" : "operation failed", metadata: metadata)
  }
}

extension OperationRequest {
  /// Logs the duration of each run, as measured by the operation's clock.
  ///
  /// - Parameters:
  ///   - logger: The logger; the context's `operationLogger` by default.
  ///   - level: The log level; `info` by default.
  /// - Returns: The modified request.
  public func logDuration(
    with logger: Logger? = nil, at level: Logger.Level = .info
  ) -> ModifiedOperation<Self, LogDurationModifier<Self>> {
    modifier(LogDurationModifier(logger: logger, level: level))
  }
}
