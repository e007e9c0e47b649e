import PipelineLanguage
import RunHistory

/// An error: a question was not answered. Nothing was changed.
package enum AnswerError: ServiceError {
  /// An unanswered question.
  package struct Pending: Sendable, Hashable {
    package let path: String
    package let message: String
  }

  /// The question was answered before.
  case answered(String, short: String, Approval.Answer?)
  /// The operation or its run has ended.
  case nobodyWaits(String, short: String, state: RunState)
  case notAsked(String, short: String, pending: [String])
  case nothingWaits(short: String)
  /// No operation was named, and several are waiting.
  case several(short: String, [Pending])

  package var code: String {
    switch self {
    case .answered: "already-answered"
    case .nobodyWaits: "question-over"
    case .notAsked: "not-asked"
    case .nothingWaits: "nothing-asked"
    case .several: "several-questions"
    }
  }

  package var description: String {
    switch self {
    case .answered(let name, let short, let answer):
      let words = answer.map { "\($0.isApproved ? "approved" : "rejected") by \($0.who) \(ClockText.ago($0.at))" }
      return "'\(name)' of run \(short) has been \(words ?? "answered") already"
    case .nobodyWaits(let operation, let short, let state):
      let subject: String
      switch state {
      case .cancelled: subject = "run \(short) is cancelled"
      case .failed, .succeeded: subject = "run \(short) has \(state.rawValue)"
      case .queued, .running, .interrupted: subject = "'\(TerminalText.visible(operation))' of run \(short) has ended"
      }
      return "\(subject) and no longer waits for an answer"
    case .notAsked(let subject, let short, let pending):
      let others =
        pending.isEmpty
        ? "nothing in it waits for approval" : "these wait for approval: \(pending.joined(separator: ", "))"
      return "'\(TerminalText.visible(subject))' of run \(short) has not asked for approval; \(others)"
    case .nothingWaits(let short): return "nothing in run \(short) waits for approval"
    case .several(let short, let pending):
      let listed = pending.map { "\n  \($0.path): \(TerminalText.oneLine($0.message))" }.joined()
      return "several operations of run \(short) wait for approval; name one:\(listed)"
    }
  }
}
