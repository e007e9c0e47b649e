import Operations
import PipelineLanguage
import RunHistory
import Values

/// How the engine runs one kind of action. An attempt of any kind begins, and has either ended by that or goes on until its end is there.
///
/// What the rest of the engine would otherwise ask by the name of a kind is asked here: what has an answer of its own below is special for few kinds.
protocol RunnableAction: ActionKind {
  /// What the end of an attempt that goes on is known by. `Never` where none does.
  associatedtype Handle: Sendable

  /// Begins an attempt of the operation, which has what it needs.
  func begin(_ ordinal: Int, of run: Run) throws -> AttemptBeginning<Handle>
  /// Waits for the end of an attempt that goes on. Cancelling the task asks it to end.
  ///
  /// Whichever of the two has evaluated the templates calls ``Run/dropReadings(_:)`` before it waits for anything: other operations of the run may
  /// be waiting to read.
  nonisolated(nonsending) func end(of handle: Handle, _ ordinal: Int, of run: Run) async throws -> OperationResult
  /// Adds what it is given besides its templates to the operation's fingerprint: what files and plugins are now. A kind that is given nothing else says so.
  func addInputs(_ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues)
    throws
  /// Whether an attempt that a former host of the run began goes on in this one, so that what has passed since counts against `timeout`. The others begin anew.
  var goesOnAcrossHosts: Bool { get }

  /// Whether an attempt is a job, which takes of the capacity of the machine that its executor runs it on.
  var startsJob: Bool { get }
  /// How soon an attempt can be over.
  var pace: ActionPace { get }
  /// The arguments of the process that it starts, the program first; nil where it starts none.
  func arguments(shell: [String], in contexts: RunContexts) throws -> [String]?
  /// What an attempt runs in: an action may measure its time by itself.
  func attemptContext(_ context: OperationContext, _ ordinal: Int, of run: Run) -> OperationContext

  /// Judges a failure where `on` does not say which are retried.
  func retryDecision(after error: any Error) -> RetryDecision
  /// Whether it is itself that has refused retries, rather than the file or an answer to ``retryDecision(after:)``, which is told of the failure.
  var refusesRetries: Bool { get }
  /// What brings the next attempt forward, besides formulas.
  func retryWakers(_ ordinal: Int, of run: Run) -> [any RetryWaker]
  /// The same in words, for what is said of a wait.
  func retryEvents(_ ordinal: Int, of run: Run) -> [OperationReason.Early]
}

/// How soon an attempt of an action can be over.
enum ActionPace: Sendable {
  /// It computes something: nothing but that takes any time, and it holds nothing meanwhile.
  case moment
  /// Its beginning may be its end.
  case mayEndAtOnce
  /// It takes a while.
  case lasts
}

/// What came of beginning an attempt.
enum AttemptBeginning<Handle: Sendable>: Sendable {
  /// It has ended with this result.
  case ended(OperationResult)
  /// It goes on, or does all it does while its end is waited for.
  case running(Handle)
}

/// Waits for the end of an attempt that goes on.
typealias AttemptEnd = nonisolated(nonsending) () async throws -> OperationResult

/// An attempt that was begun, of whichever kind.
enum BegunAttempt {
  case ended(Result<OperationResult, any Error>)
  /// It goes on; the call waits for its end.
  case running(AttemptEnd)

  /// Waits for the end where it goes on.
  nonisolated(nonsending) func end() async throws -> OperationResult {
    switch self {
    case .ended(let outcome): try outcome.get()
    case .running(let end): try await end()
    }
  }
}

extension RunnableAction where Handle == Void {
  // All that such an action does may have to wait for something.
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

  /// Every failure is retried but that of what may have succeeded.
  func retryDecision(after error: any Error) -> RetryDecision {
    (error as? OperationFailure)?.stopReason.map { .stop(reason: $0) } ?? .noOpinion
  }

  var refusesRetries: Bool { false }
  func retryWakers(_ ordinal: Int, of run: Run) -> [any RetryWaker] { [] }
  func retryEvents(_ ordinal: Int, of run: Run) -> [OperationReason.Early] { [] }

  /// Begins an attempt: every attempt of every kind does here.
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

  /// One attempt, from its beginning to its end.
  nonisolated(nonsending) func perform(_ ordinal: Int, of run: Run) async throws -> OperationResult {
    try await start(ordinal, of: run).end()
  }
}
