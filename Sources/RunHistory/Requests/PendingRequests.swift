import SQLite
import Workspace

extension PendingRequest {
  init?(_ stored: StoredRequest) {
    guard let run = stored.runID.flatMap({ RunID($0) }), let kind = RunRequest(rawValue: stored.kind) else {
      return nil
    }
    self.init(
      number: stored.number, run: run, kind: kind, canceller: RunCanceller(who: stored.who, means: stored.means),
      operation: stored.operation.map { Int($0) })
  }
}

extension History {
  /// Returns what is pending for the hosts of all runs: requests in order, and the operations, by run and ordinal, whose questions have been
  /// answered. Answers are read only if something waits for one.
  package func pendingForHosts(
    withAnswers: Bool
  ) throws(WorkspaceError) -> (requests: [PendingRequest], answers: [RunID: Set<Int>]) {
    try read { db in
      let requests = try db.fetch(for: StoredRequest.self).where(StoredRequest.takenAt.isNil())
        .compactMap(PendingRequest.init)
      var answers: [RunID: Set<Int>] = [:]
      guard withAnswers else { return (requests, answers) }
      // In SQL, because fields cannot express that a key is in the range of another one.
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT r.id, a.operation FROM run_record r CROSS JOIN approval a
              ON a.operation BETWEEN r.number << 32 AND r.number << 32 | 4294967295
            WHERE r.state = 'running' AND a.answered_at IS NOT NULL
            """))
      for row in rows {
        if let run = RunID(row[0] as String) { answers[run, default: []].insert(InstanceKey(row[1]).ordinal) }
      }
      return (requests, answers)
    }
  }
}

extension HistoryRecorder {
  /// Claims requests for the host that owns their runs. Requests to a run that is no longer owned with its token in `fences` are left to the next host.
  ///
  /// - Returns: Those that this host has claimed, in order.
  package nonisolated(nonsending) func take(
    _ requests: [PendingRequest], fences: [RunID: Int64], at time: RecordTime
  ) async throws -> [PendingRequest] {
    try await perform { db in
      try requests.filter { request in
        guard let fence = fences[request.run], try RunOwnership.fence(of: request.run, in: db) == fence else {
          return false
        }
        return try db.changing([StoredRequest.self]) { context in
          try context.update(
            StoredRequest.self, set: [StoredRequest.takenAt.set(time.microseconds)],
            where: StoredRequest.number == request.number && StoredRequest.takenAt.isNil()) > 0
        }
      }
    }
  }
}
