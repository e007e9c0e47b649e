import Synchronization

/// An instance that runs as one task: stopping it cancels the task, and it ends when the task does.
final class TaskInstance: Instance {
  private let link: InstanceLink
  private let deadline = StopDeadline()
  private let work: @Sendable (OperationContext, JSONValue) async throws -> JSONValue?
  private let predictable: (any PredictableController)?
  private let task = Mutex<Task<Void, Never>?>(nil)

  private init(
    link: InstanceLink, predictable: (any PredictableController)? = nil,
    work: @escaping @Sendable (OperationContext, JSONValue) async throws -> JSONValue?
  ) {
    self.link = link
    self.predictable = predictable
    self.work = work
  }

  /// Creates an attempt of an operation, which receives its requirement. If it is cancelled, it has failed.
  static func operation(
    _ link: InstanceLink,
    _ run: @escaping @Sendable (OperationContext, _ requirement: JSONValue?) async throws -> JSONValue?
  ) -> TaskInstance {
    TaskInstance(link: link) { context, input in try await run(context, input["requirement"]) }
  }

  /// Creates a controller. If it is cancelled, it has ended successfully.
  static func controller(
    _ link: InstanceLink, _ predictable: (any PredictableController)?,
    _ run: @escaping @Sendable (OperationContext) async throws -> Void
  ) -> TaskInstance {
    TaskInstance(link: link, predictable: predictable) { context, _ in
      do {
        try await run(context)
      } catch is CancellationError where Task.isCancelled {
        return nil
      }
      return nil
    }
  }

  func start(_ input: JSONValue) {
    let task = Task { [link, work, deadline] in
      let result: Result<JSONValue?, any Error>
      do {
        result = .success(try await work(OperationContext(link, input, deadline), input))
      } catch {
        result = .failure(error)
      }
      link.end(with: result)
    }
    self.task.withLock { $0 = task }
  }

  func instants(in span: PlannedSpan, _ input: JSONValue) throws -> JSONValue? {
    try predictable?.instants(in: span, input: PluginInput(input))?.json(withValues: false)
  }

  func stop(within time: Duration) {
    // Before the cancellation: the task may read the time left as soon as it notices.
    deadline.set(time, link)
    destroy()
  }

  func destroy() { task.withLock { $0 }?.cancel() }
}
