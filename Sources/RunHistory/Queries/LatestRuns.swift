import SQLite
import Synchronization

/// The latest runs of pipelines that have ended, asked of the database once for each of its changes, however many conditions ask the same. Any thread.
///
/// What is remembered is never older than what a query would bring: whether something was committed since is asked each time.
package final class LatestRuns: Sendable {
  private struct Question: Hashable {
    let pipeline: String
    let states: Set<RunState>
  }

  private struct Answer {
    /// SQLite's count of the changes that the reading connection has seen.
    let version: Int64
    let latest: RunRecord?
    /// Runs that go on, which are interrupted without any change of the database when their process dies.
    let active: [RunRecord]
  }

  private let history: History
  private let answers = Mutex<[Question: Answer]>([:])

  package init(history: History) { self.history = history }

  /// The latest run of `pipeline` that is in one of `states`; nil where there is none, or nothing can be read.
  package func latest(of pipeline: String, in states: Set<RunState>) -> RunRecord? {
    let question = Question(pipeline: pipeline, states: states)
    let known = answers.withLock { $0[question] }
    let answer = try? history.read { db in
      // All reads go through one connection, so that its count tells them apart.
      let version = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
      if let known, known.version == version, known.active.allSatisfy({ $0.owner.isAlive(in: db) }) { return known }
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
}
