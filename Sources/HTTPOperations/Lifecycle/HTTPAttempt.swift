public import Operations

/// One attempt of an HTTP operation. See ``HTTPOperation/attempt``.
public struct HTTPAttempt<Value: Sendable>: OperationRequest {
  /// The operation to attempt.
  public let operation: HTTPOperation<Value>

  /// Prepares, transfers, validates and processes once.
  ///
  /// - Throws: ``HTTPOperationError`` with a verdict; `CancellationError` if the task is cancelled.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, any Error>
  ) async throws -> Value {
    // Otherwise the task would only be cancelled after it has begun.
    try Task.checkCancellation()
    let slot = ChildTaskSlot<Value>()
    let attempt = begin(in: context, slot)
    await withTaskCancellationHandler {
      await attempt.value
    } onCancel: {
      attempt.cancel()
    }
    return try slot.get()
  }

  /// Runs the attempt in a separate task, whose memory is freed with it and not kept during the possibly long wait for the next attempt. It is awaited
  /// immediately, like `async let`, which would however add 640 bytes to the waiting frame.
  @inline(never)
  private func begin(in context: OperationContext, _ slot: ChildTaskSlot<Value>) -> Task<Void, Never> {
    // The executor that `async let` would use.
    let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor }?.asTaskExecutor()
    return Task(executorPreference: executor) {
      do {
        slot.result = .success(try await run(in: context))
      } catch {
        slot.result = .failure(error)
      }
    }
  }

  private func run(in context: OperationContext) async throws -> Value {
    try Task.checkCancellation()
    var request = operation.request
    let failure: HTTPOperationError
    do {
      request = try await prepared(in: context)
      return try await exchange(request, in: context, restarts: 1)
    } catch let error as HTTPOperationError {
      failure = error
    }
    // A failure because the task was cancelled is not a failure of the request.
    try Task.checkCancellation()
    throw await judged(failure, of: request, in: context)
  }

  private func prepared(in context: OperationContext) async throws -> HTTPTransferRequest {
    var request = operation.request
    do {
      for processor in operation.requestProcessors {
        request = try await processor.process(request, in: context)
      }
      return request
    } catch let error as CancellationError {
      throw error
    } catch {
      throw Self.error(.request(error), request)
    }
  }

  /// Sends the request. A sink may immediately request another one, up to `restarts` times.
  private func exchange(
    _ original: HTTPTransferRequest, in context: OperationContext, restarts: Int
  ) async throws -> Value {
    var request = original
    let sink: any HTTPResultSink<Value>
    do {
      sink = try await operation.result.begin(&request, in: context)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw Self.error(.result(error), original)
    }
    let receiver = HTTPAttemptReceiver(
      request: request, validators: operation.validators, sink: sink, clock: context.operationClock,
      onBegin: operation.onBegin)
    do {
      let value = try await receive(request, by: receiver, into: sink)
      if let endpoint = try? HTTPURL(request.url).endpoint { operation.peers.succeeded(at: endpoint) }
      return value
    } catch {
      await sink.abandon()
      if error is CancellationError { throw error }
      if let restart = error as? HTTPRestart {
        guard restarts > 0 else { throw Self.error(.result(restart), original, receiver) }
        context.operationLogger.debug("request is sent again", metadata: ["reason": "\(restart.reason)"])
        do {
          return try await exchange(original, in: context, restarts: restarts - 1)
        } catch var error as HTTPOperationError {
          error.hasSent = true
          throw error
        }
      }
      if let failure = error as? HTTPOperationError { throw failure }
      throw Self.error(.result(error), original, receiver)
    }
  }

  private func receive(
    _ request: HTTPTransferRequest, by receiver: HTTPAttemptReceiver<Value>, into sink: any HTTPResultSink<Value>
  ) async throws -> Value {
    let result: HTTPTransferResult
    do {
      result = try await operation.transport.transfer(request, to: receiver)
    } catch {
      if error is CancellationError || error is HTTPRestart { throw error }
      if let rejection = receiver.rejection { throw Self.error(.rejected(rejection), request, receiver) }
      if let error = error as? HTTPTransferError { throw Self.error(.transfer(error), request, receiver) }
      throw Self.error(.result(error), request, receiver)
    }
    if let rejection = receiver.rejection {
      var error = Self.error(.rejected(rejection), request, receiver)
      error.hasWholeBody = true
      throw error
    }
    return try await sink.finish(result)
  }

  private func judged(
    _ failure: HTTPOperationError, of request: HTTPTransferRequest, in context: OperationContext
  ) async -> HTTPOperationError {
    var failure = failure
    if let head = failure.head, case .rejected = failure.cause {
      failure.retryAfter = RetryAfter.delay(in: head.fields, now: context.operationClock.now()).map {
        min($0, operation.retry.retryAfterCap)
      }
    }
    let shown = HTTPFailure(error: failure, request: request, peers: operation.peers)
    for provider in operation.retryProviders {
      switch await provider.opinion(on: shown, in: context) {
      case .retry(let reason, let delay, let wakers):
        if let delay { failure.retryAfter = delay }
        failure.verdict = .retry(reason: reason, wakers: wakers)
        return failure
      case .doNotRetry(let reason):
        failure.verdict = .stop(reason: reason)
        return failure
      case .noOpinion: continue
      }
    }
    failure.verdict = .stop(reason: "no retry provider handles \(failure.code)")
    return failure
  }

  private static func error(
    _ cause: HTTPOperationError.Cause, _ request: HTTPTransferRequest, _ receiver: HTTPAttemptReceiver<Value>? = nil
  ) -> HTTPOperationError {
    var error = HTTPOperationError(
      cause, method: request.method.rawValue, endpoint: try? HTTPURL(request.url).endpoint, head: receiver?.head)
    error.body = receiver?.excerpt ?? []
    return error
  }
}
