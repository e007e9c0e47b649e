import SQLite
import Synchronization
import Workspace

/// The latest ended runs of pipelines, queried once after each change of the database, however many conditions need them. May be used from any thread.
///
/// A cached answer is never older than the result of a query: each call checks whether anything has been committed since.
package final class LatestRuns: Sendable {
  private struct Question: Hashable {
    let pipeline: String
    let states: Set<RunState>
    /// Whether the run that ended last counts, rather than the one that was created last.
    var isByEnd = false
  }

  private struct Answer {
    /// SQLite's count of the changes that the reading connection has seen.
    let version: Int64
    let latest: RunRecord?
    /// Active runs, which become interrupted without any change of the database when their process dies.
    let active: [RunRecord]
  }

  private let history: History
  private let answers = Mutex<[Question: Answer]>([:])

  package init(history: History) { self.history = history }

  /// Returns the latest run of `pipeline` that is in one of `states`, or nil if there is none, or if the history cannot be read.
  package func latest(of pipeline: String, in states: Set<RunState>) -> RunRecord? {
    answer(Question(pipeline: pipeline, states: states))
  }

  /// Returns the run of `pipeline` that was last to succeed: of several concurrent runs, a later one may end before an earlier one. Nil if there is
  /// none, or if the history cannot be read.
  package func latestSuccess(of pipeline: String) -> RunRecord? {
    answer(Question(pipeline: pipeline, states: [.succeeded], isByEnd: true))
  }

  private func answer(_ question: Question) -> RunRecord? {
    let (pipeline, states) = (question.pipeline, question.states)
    let known = answers.withLock { $0[question] }
    let answer = try? history.read { db in
      // All reads use one connection, so its count is comparable.
      let version = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
      if let known, known.version == version, known.active.allSatisfy({ $0.owner.isAlive(in: db) }) { return known }
      if question.isByEnd {
        return Answer(version: version, latest: try Self.endedLast(of: pipeline, in: db), active: [])
      }
      let filter = RunFilter(pipeline: pipeline, states: states, includesNested: true, limit: 1)
      var active: [RunRecord] = []
      if states.contains(.interrupted) {
        let going = RunFilter(pipeline: pipeline, states: [.queued, .running], includesNested: true)
        active = try RunListing(filter: going).runs(in: db)
      }
      return Answer(version: version, latest: try RunListing(filter: filter).runs(in: db).first, active: active)
    }
    guard let answer else { return nil }
    answers.withLock { $0[question] = answer }
    return answer.latest
  }

  private static func endedLast(of pipeline: String, in db: Database) throws -> RunRecord? {
    let number = try Int64.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT number FROM run_record INDEXED BY run_success WHERE pipeline = ? AND state = 'succeeded'
          ORDER BY ended_at DESC, number DESC LIMIT 1
          """), arguments: [pipeline])
    guard let number else { return nil }
    return try RunRows.all(StoredRun.number == number, in: db).first?.record
  }
}
