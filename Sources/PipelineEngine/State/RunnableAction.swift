import Operations
import PipelineLanguage
import RunHistory
import Values

/// How the engine runs one kind of action. An attempt of any kind begins, and then has either ended already or runs until its end.
///
/// What the rest of the engine would otherwise determine by the name of a kind is determined here. Members with a default implementation below differ
/// for only a few kinds.
protocol RunnableAction: ActionKind {
  /// What identifies a running attempt, to wait for its end. `Never` if attempts end as soon as they begin.
  associatedtype Handle: Sendable

  /// Begins an attempt of the operation, which has everything it needs.
  func begin(_ ordinal: Int, of run: Run) throws -> AttemptBeginning<Handle>
  /// Waits for the end of a running attempt. Cancelling the task requests it to end.
  ///
  /// Whichever of the two functions has evaluated the templates calls ``Run/dropReadings(_:)`` before it waits for anything, because other operations
  /// of the run may be waiting to read.
  nonisolated(nonsending) func end(of handle: Handle, _ ordinal: Int, of run: Run) async throws -> OperationResult
  /// Adds the inputs of the action besides its templates to the operation's fingerprint: the current state of files and plugins. A kind without such
  /// inputs has an empty implementation.
  func addInputs(_ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues)
    throws
  /// Whether an attempt that a former host of the run began continues in this one, so that the time since then counts against `timeout`. Otherwise
  /// attempts begin anew.
  var goesOnAcrossHosts: Bool { get }

  /// Whether an attempt is a job, which takes capacity of the computer on which its executor runs it.
  var startsJob: Bool { get }
  /// How soon an attempt can end.
  var pace: ActionPace { get }
  /// Returns the arguments of the process that it starts, beginning with the program, or nil if it starts none.
  func arguments(shell: [String], in contexts: RunContexts) throws -> [String]?
  /// Returns the context that an attempt runs in. An action may measure its time itself.
  func attemptContext(_ context: OperationContext, _ ordinal: Int, of run: Run) -> OperationContext

  /// Decides about a retry after a failure if `on` does not specify which failures are retried.
  func retryDecision(after error: any Error) -> RetryDecision
  /// Whether the action itself refused retries, rather than the file or a result of ``retryDecision(after:)``, which is based on the failure.
  var refusesRetries: Bool { get }
  /// Returns what can start the next attempt early, besides conditions.
  func retryWakers(_ ordinal: Int, of run: Run) -> [any RetryWaker]
  /// Describes these events in words, for the description of a wait.
  func retryEvents(_ ordinal: Int, of run: Run) -> [OperationReason.Early]
}

/// How soon an attempt of an action can end.
enum ActionPace: Sendable {
  /// It only computes something, which takes no other time, and holds nothing while it does.
  case moment
  /// It may end as soon as it begins.
  case mayEndAtOnce
  /// It takes a while.
  case lasts
}

/// The outcome of beginning an attempt.
enum AttemptBeginning<Handle: Sendable>: Sendable {
  /// It has ended with this result.
  case ended(OperationResult)
  /// It is running, or does all its work while its end is awaited.
  case running(Handle)
}

/// Waits for the end of a running attempt.
typealias AttemptEnd = nonisolated(nonsending) () async throws -> OperationResult

/// An attempt of any kind that has begun.
enum BegunAttempt {
  case ended(Result<OperationResult, any Error>)
  /// It is running; the closure waits for its end.
  case running(AttemptEnd)

  /// Waits for the end if it is running.
  nonisolated(nonsending) func end() async throws -> OperationResult {
    switch self {
    case .ended(let outcome): try outcome.get()
    case .running(let end): try await end()
    }
  }
}

extension RunnableAction where Handle == Void {
  // Everything that such an action does may have to wait for something.
  func begin(_ ordinal: Int, of run: Run) throws -> AttemptBeginning<Void> { .running(()) }
}

extension RunnableAction where Handle == Never {
  nonisolated(nonsending) func end(of handle: Never, _ ordinal: Int, of run: Run) async throws -> OperationResult {}
}

extension RunnableAction {
  var startsJob: Bool { false }
  var pace: ActionPace { .lasts }
  func arguments(shell: [String], in contexts: RunContexts) throws -> [String]? { nil }
  func attemptContext(_ context: OperationContext, _ ordinal: Int, of run: Run) -> OperationContext { context }

  /// Retries every failure except those after which the action may have succeeded.
  func retryDecision(after error: any Error) -> RetryDecision {
    (error as? OperationFailure)?.stopReason.map { .stop(reason: $0) } ?? .noOpinion
  }

  var refusesRetries: Bool { false }
  func retryWakers(_ ordinal: Int, of run: Run) -> [any RetryWaker] { [] }
  func retryEvents(_ ordinal: Int, of run: Run) -> [OperationReason.Early] { [] }

  /// Begins an attempt. Every attempt of every kind begins here.
  func start(_ ordinal: Int, of run: Run) -> BegunAttempt {
    do {
      switch try begin(ordinal, of: run) {
      case .ended(let result): return .ended(.success(result))
      case .running(let handle): return .running { try await end(of: handle, ordinal, of: run) }
      }
    } catch {
      return .ended(.failure(error))
    }
  }

  /// Performs one attempt, from its beginning to its end.
  nonisolated(nonsending) func perform(_ ordinal: Int, of run: Run) async throws -> OperationResult {
    try await start(ordinal, of: run).end()
  }
}
