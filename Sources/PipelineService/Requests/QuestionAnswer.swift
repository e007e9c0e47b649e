import Glibc
import RunHistory

/// An answer to a question of a run. The first answer decides, even if no host is running the run.
package struct QuestionAnswer: Sendable {
  /// The result of giving an answer.
  package struct Receipt: Sendable {
    package let approval: Approval
    /// The run that asks.
    package let run: RunRecord
  }

  package var isApproved: Bool
  package var note: String?
  /// The login name of the person who answers, which is recorded.
  package var who: String
  /// The means by which the answer was given.
  package var means: Requester.Means

  package init(isApproved: Bool, note: String?, who: String, by means: Requester.Means = .command) {
    self.isApproved = isApproved
    self.note = note
    self.who = who
    self.means = means
  }

  /// Returns the login name of this process's user from the user database, ignoring the environment.
  package static func loginName() -> String {
    if let entry = getpwuid(getuid()) { return String(cString: entry.pointee.pw_name) }
    return "user \(getuid())"
  }

  /// Answers the operation that `path` leads to from `run`; without a path, the only unanswered question.
  ///
  /// - Throws: ``AnswerError``, ``RunReferenceError``, or `WorkspaceError`.
  package func give(to path: String?, of run: RunRecord, in history: History) throws -> Receipt {
    let reference = RunReference(history: history)
    let questions = OpenQuestions(of: run, in: history)
    let asked = try path.map { try reference.end(of: $0, from: run) } ?? questions.only()
    let (name, short) = (try operation(asked.operation, in: asked.run, reference), reference.short(asked.run.id))
    let outcome = try history.answerApproval(
      asked.run.id, operation: name, approved: isApproved, note: note, who: who, by: means)
    switch outcome {
    case .answered(let approval): return Receipt(approval: approval, run: asked.run)
    case .alreadyAnswered(let approval): throw AnswerError.answered(name, short: short, approval.answer)
    case .over:
      // The run may have ended since it was looked up.
      let state = try reference.find(asked.run.id.text).state
      throw AnswerError.nobodyWaits(name, short: short, state: state)
    case .notAsked:
      throw AnswerError.notAsked(
        path ?? name, short: reference.short(run.id), pending: try questions.all().map(\.path))
    }
  }

  /// Returns the name of the operation, or of the item with the given label; if none has that name, the text as given.
  private func operation(_ text: String, in run: RunRecord, _ reference: RunReference) throws -> String {
    do {
      return try reference.operation(text, in: run).name
    } catch RunReferenceError.unknownOperation {
      return text
    }
  }
}
