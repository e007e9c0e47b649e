import Values

extension OperationReason {
  /// The wait for an exclusive name.
  package struct Exclusive: Sendable, Hashable {
    /// The name.
    package var name: String?
    /// The holder and its process; nil until they are known.
    package var holder: String?
    package var process: Int64?

    package init(name: String?, holder: String? = nil, process: Int64? = nil) {
      self.name = name
      self.holder = holder
      self.process = process
    }
  }

  /// The wait for a time.
  package struct Time: Sendable, Hashable {
    package var due: RecordTime?
    package var clock: Clock?

    package init(due: RecordTime?, clock: Clock? = nil) {
      self.due = due
      self.clock = clock
    }
  }

  /// A specification, and the wait for it.
  package struct Specification: Sendable, Hashable {
    /// The text of the specification.
    package var formula: String
    /// Why it is not true, in its own words.
    package var why: String?
    /// When the wait began; nil if there was none.
    package var since: RecordTime?
    /// When the wait times out; nil means never.
    package var due: RecordTime?
    package var clock: Clock?

    package init(
      formula: String, why: String?, since: RecordTime? = nil, due: RecordTime? = nil, clock: Clock? = nil
    ) {
      self.formula = formula
      self.why = why
      self.since = since
      self.due = due
      self.clock = clock
    }
  }

  /// A question to a person.
  package struct Question: Sendable, Hashable {
    package var message: String?
    /// The command for answering it.
    package var command: String?
    package var clock: Clock?

    package init(message: String?, command: String? = nil, clock: Clock? = nil) {
      self.message = message
      self.command = command
      self.clock = clock
    }
  }

  /// The wait for the next attempt.
  package struct Retry: Sendable, Hashable {
    /// The number of the attempt that failed.
    package var attempt: Int64?
    package var due: RecordTime?
    /// The whole wait, in milliseconds.
    package var delay: Int64?
    /// The number of the last possible attempt; nil if unknown.
    package var last: Int64?
    /// What can start the next attempt early.
    package var early: [Early]
    package var clock: Clock?

    package init(
      attempt: Int64?, due: RecordTime? = nil, delay: Int64? = nil, last: Int64? = nil, early: [Early] = [],
      clock: Clock? = nil
    ) {
      self.attempt = attempt
      self.due = due
      self.delay = delay
      self.last = last
      self.early = early
      self.clock = clock
    }
  }

  /// The wait for the next round of a repetition.
  package struct Round: Sendable, Hashable {
    /// The number of the coming round, from 1.
    package var number: Int64?
    package var due: RecordTime?
    package var clock: Clock?

    package init(number: Int64?, due: RecordTime? = nil, clock: Clock? = nil) {
      self.number = number
      self.due = due
      self.clock = clock
    }
  }

  /// The wait for an executor elsewhere.
  package struct ExecutorWait: Sendable, Hashable {
    /// The name of the executor.
    package var executor: String
    /// The job, as the cluster calls it; nil if it is not there yet.
    package var job: String?
    /// The state of the job and the reason for it, in the cluster's own words.
    package var state: String?
    package var word: String?
    /// What the reason means, or why the job is not there yet, as a sentence without a full stop.
    package var why: String?
    package var partition: String?
    /// What the job needs: `8 CPUs, 16GiB`.
    package var demand: String?
    /// When the job is expected to start.
    package var start: RecordTime?
    /// When the wait began.
    package var since: RecordTime?
    /// The last answer of an executor that does not answer; nil if it does.
    package var silentSince: RecordTime?
    package var phase: Phase

    /// How far its job is.
    package enum Phase: String, Sendable {
      /// It has not started.
      case waiting
      case suspended
      /// It runs, as far as is known.
      case running
    }

    package init(executor: String, phase: Phase = .waiting) {
      self.executor = executor
      self.phase = phase
    }
  }

  /// What can end the wait for a retry early.
  package enum Early: Sendable, Hashable {
    /// A specification, by its text, that becomes true, with its current value and the reason for it.
    case specification(String, value: Bool, why: String)
    /// An event: `reachable` or `peer-success`, and a description of what has to happen.
    case event(String, String)
  }

  /// A wait by the time since boot, which is independent of the wall clock.
  package struct Clock: Sendable, Hashable {
    /// The identity of the boot and the container.
    package var boot: String?
    /// When it began, or the first attempt of its operation, in microseconds since boot.
    package var began: Int64?
    /// When it ends, in microseconds since boot.
    package var due: Int64?

    package init(boot: String?, began: Int64? = nil, due: Int64? = nil) {
      self.boot = boot
      self.began = began
      self.due = due
    }
  }

  /// Why a failure was not retried although retries were left.
  package enum NotRetried: Sendable, Hashable {
    /// `on` does not list it.
    case notListed
    /// There was no time for another attempt within the deadline, given as written.
    case deadline(String?)
    /// The failure says why another attempt makes no sense.
    case stopped(String)

    private static let notListedText = "its failure is not listed under 'on'"
    private static let deadlineText = "there was no time for another attempt within the deadline"

    /// Parses the recorded reason.
    package init(text: String) {
      let deadline = text.hasPrefix(Self.deadlineText) ? text.dropFirst(Self.deadlineText.count) : nil
      switch deadline {
      case _ where text == Self.notListedText: self = .notListed
      case ""?: self = .deadline(nil)
      case let rest? where rest.hasPrefix(" of "): self = .deadline(String(rest.dropFirst(4)))
      default: self = .stopped(text)
      }
    }

    /// A clause for "it was not retried: …".
    package var text: String {
      switch self {
      case .notListed: Self.notListedText
      case .deadline(let deadline): Self.deadlineText + (deadline.map { " of \($0)" } ?? "")
      case .stopped(let text): text
      }
    }
  }
}

/// The `run_when` specification that let an operation begin.
package struct OpenedGate: Sendable, Hashable {
  /// The text of the specification.
  package var formula: String
  /// When the wait for it began.
  package var since: RecordTime?
  package var openedAt: RecordTime?
  /// Why it became true, in its own words.
  package var openedBy: String?

  package init(formula: String, since: RecordTime?, openedAt: RecordTime?, openedBy: String?) {
    self.formula = formula
    self.since = since
    self.openedAt = openedAt
    self.openedBy = openedBy
  }
}
