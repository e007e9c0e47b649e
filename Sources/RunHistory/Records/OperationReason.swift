import Values

/// Why an operation is in its state: what it waits for, why it was skipped, cancelled, failed or reused; for a running one, what it consists of.
///
/// The history stores it as a ``code`` and a ``detail``, which are public and written nowhere else; ``init(code:detail:state:)`` parses them. Parsing
/// is lenient, because earlier versions wrote less. What this version does not know is kept as ``other(code:detail:)``.
package indirect enum OperationReason: Sendable, Hashable {
  // MARK: Waiting

  /// A slot of `concurrency`.
  case concurrency
  /// A slot among the runs that the host executes at once.
  case place
  /// Resources, by their names in the file.
  case resources([String])
  /// An exclusive name.
  case exclusive(Exclusive)
  /// A duration or an instant.
  case time(Time)
  /// A specification that the operation's action waits for.
  case specification(Specification)
  /// A specification of `run_when`: waited for, or not true when the operation was skipped.
  case gate(Specification)
  /// A person's answer.
  case approval(Question)
  /// The next attempt.
  case retry(Retry)
  /// The next round of a repetition.
  case round(Round)
  /// What it was waiting for when its host ended, which the history stores without the code.
  case former(OperationReason)

  // MARK: Running

  /// A loop, with the number of its items; also after it has succeeded.
  case items(Int64)
  /// A nested pipeline, with its run.
  case nestedRun(RunID)
  /// An attempt that cannot continue until the process has a descriptor, a thread or memory for it, with a description of the failure.
  case shortage(String)
  /// An attempt that its executor has not started yet or has suspended, or whose executor does not answer.
  case executor(ExecutorWait)

  // MARK: Ended

  /// Skipped: its `when`, given as written, was false.
  case condition(String?)
  /// Skipped or cancelled because of dependencies, given by name.
  case dependencies(Dependency, [String])
  /// Skipped: not selected to run.
  case notSelected
  /// Cancelled with the run, on request.
  case runCancelled
  /// Cancelled because the run timed out.
  case runTimeout
  /// Cancelled because the run did not begin.
  case runNotStarted
  /// An item that was cancelled or did not run because this many items of its loop, given by name, had failed.
  case itemsFailed(Int64, of: String)
  /// Reused: the latest success, of that run, is not stale.
  case fresh(from: RunID?)
  /// Reused: the run that this one retries, or resumes in part, had completed it.
  case takenOver(from: RunID?)
  /// Failed, with the error code. A failure that was not retried may have a reason, which is known before the code is.
  case failed(code: String?, notRetried: NotRetried? = nil)

  /// What a later version wrote, unchanged.
  case other(code: String?, detail: JSONValue?)

  /// How dependencies ended that prevent an operation from running. The raw values are the codes, including those of `InjectionDecisionKind`.
  package enum Dependency: String, Sendable, CaseIterable {
    case skipped = "dependency-skipped"
    case failed = "dependency-failed"
    case cancelled = "dependency-cancelled"
    case withoutResult = "requirement-not-satisfied"
  }

  /// The codes of reasons that are not error codes.
  enum Code: String, CaseIterable {
    case concurrency, place, resources, exclusive, wait, approval, retry, shortage, executor, condition, fresh
    case round = "repeat"
    case gate = "run_when"
    case notSelected = "not-selected"
    case runCancelled = "run-cancelled"
    case runTimeout = "run-timeout"
    case runNotStarted = "run-not-started"
    case itemsFailed = "items-failed"
    case takenOver = "taken-over"
  }

  /// The code for the column `reason`; nil if the state is sufficient.
  package var code: String? {
    switch self {
    case .concurrency: Code.concurrency.rawValue
    case .place: Code.place.rawValue
    case .resources: Code.resources.rawValue
    case .exclusive: Code.exclusive.rawValue
    case .time, .specification: Code.wait.rawValue
    case .gate: Code.gate.rawValue
    case .approval: Code.approval.rawValue
    case .retry: Code.retry.rawValue
    case .round: Code.round.rawValue
    case .former, .items, .nestedRun: nil
    case .shortage: Code.shortage.rawValue
    case .executor: Code.executor.rawValue
    case .condition: Code.condition.rawValue
    case .dependencies(let dependency, _): dependency.rawValue
    case .notSelected: Code.notSelected.rawValue
    case .runCancelled: Code.runCancelled.rawValue
    case .runTimeout: Code.runTimeout.rawValue
    case .runNotStarted: Code.runNotStarted.rawValue
    case .itemsFailed: Code.itemsFailed.rawValue
    case .fresh: Code.fresh.rawValue
    case .takenOver: Code.takenOver.rawValue
    case .failed(let code, _): code
    case .other(let code, _): code
    }
  }

  /// What is or was waited for, even if that host has ended.
  package var wait: OperationReason {
    if case .former(let reason) = self { reason } else { self }
  }

  /// The specification that is or was waited for, or was not true.
  package var specification: Specification? {
    switch wait {
    case .specification(let specification), .gate(let specification): specification
    default: nil
    }
  }

  /// When the wait ends, by the wall clock, if known.
  package var due: RecordTime? {
    switch wait {
    case .time(let time): time.due
    case .specification(let specification), .gate(let specification): specification.due
    case .retry(let retry): retry.due
    case .round(let round): round.due
    default: nil
    }
  }

  /// The wait by the time since boot.
  package var clock: Clock? {
    switch wait {
    case .time(let time): time.clock
    case .specification(let specification), .gate(let specification): specification.clock
    case .approval(let question): question.clock
    case .retry(let retry): retry.clock
    case .round(let round): round.clock
    default: nil
    }
  }

  /// The dependencies that caused the operation to end as it did.
  package var culprits: [String] {
    if case .dependencies(_, let names) = self { names } else { [] }
  }

  /// Why a failure was not retried, unless it is obvious.
  package var notRetried: NotRetried? {
    if case .failed(_, let notRetried) = self { notRetried } else { nil }
  }
}

extension OperationRecord {
  /// Why it is in its state; nil if the state is sufficient.
  package var operationReason: OperationReason? {
    OperationReason(code: reason, detail: parsedDetail, state: state)
  }

  /// The specification that it waited for before it began, once that was true.
  package var openedGate: OpenedGate? {
    parsedDetail.flatMap { OpenedGate($0[DetailKey.gate]) }
  }

  /// The label that the loop's `label` gave an item; nil if there is none.
  package var recordedLabel: String? {
    guard let detail, detail.contains("\"\(DetailKey.label)\":") else { return nil }
    return parsedDetail?[DetailKey.label]?.stringValue
  }

  /// Why a retry executed it: `its definition has changed`. Nil if the run was not a retry, or reused it.
  package var causeOfRetry: String? {
    guard let detail, detail.contains("\"\(DetailKey.again)\":") else { return nil }
    return parsedDetail?[DetailKey.again]?.stringValue
  }

  private var parsedDetail: JSONValue? { detail.flatMap { try? JSONValue.parse($0) } }
}
