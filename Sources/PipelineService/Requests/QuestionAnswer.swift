import Glibc
import RunHistory

/// An answer to a question of a run: whoever answers first decides, and an answer counts also while nobody runs the run.
package struct QuestionAnswer: Sendable {
  /// What came of it.
  package struct Receipt: Sendable {
    package let approval: Approval
    /// The run that asks.
    package let run: RunRecord
  }

  package var isApproved: Bool
  package var note: String?
  /// Who answers, which is recorded.
  package var who: String
  /// How.
  package var means: Requester.Means

  package init(isApproved: Bool, note: String?, who: String, by means: Requester.Means = .command) {
    self.isApproved = isApproved
    self.note = note
    self.who = who
    self.means = means
  }

  /// The login name of this process's user, as the user database has it: nothing that the environment says.
  package static func loginName() -> String {
    if let entry = getpwuid(getuid()) { return String(cString: entry.pointee.pw_name) }
    return "user \(getuid())"
  }

  /// Answers the operation that `path` leads to from `run`; without a path, the only question that waits.
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

  /// The name of the operation, or of the item whose label was given; as it was given where there is none of that name.
  private func operation(_ text: String, in run: RunRecord, _ reference: RunReference) throws -> String {
    do {
      return try reference.operation(text, in: run).name
    } catch RunReferenceError.unknownOperation {
      return text
    }
  }
}
