import SQLite
import Workspace

extension History {
  /// Returns the pauses that are in force, by the names of their pipelines.
  package func pauses(at time: RecordTime) throws(WorkspaceError) -> [Pause] {
    try read { try Pauses.all(at: time, in: $0) }
  }

  /// Pauses pipelines. For pipelines that are already paused, the pause is replaced, but keeps its beginning. A pause without a reason keeps the
  /// existing one; an empty reason removes it.
  package func pause(_ pauses: [Pause], by means: Requester.Means = .command) throws(WorkspaceError) {
    try write { db in
      let kept = try pauses.map { pause in
        var pause = pause
        let former = try Pauses.current(of: pause.pipeline, at: pause.since, in: db)
        if let former { pause.since = min(former.since, pause.since) }
        if pause.reason == nil {
          pause.reason = former?.reason
        } else if pause.reason?.isEmpty == true {
          pause.reason = nil
        }
        return pause
      }
      for (pause, asked) in zip(kept, pauses) {
        guard let who = pause.who else { continue }
        let detail = [pause.until.map { "until \($0.text)" }, pause.reason].compactMap { $0 }.joined(
          separator: ": ")
        try AuditRows.add(
          AuditEntry(
            time: asked.since, by: Requester(who, by: means), .pause, pause.pipeline,
            detail: detail.isEmpty ? nil : detail), in: db)
      }
      try db.changing([StoredPause.self]) { context in
        for pause in kept {
          try context.submit(
            StoredPause.upsertRequest(
              StoredPause(
                pipeline: pause.pipeline, until: pause.until?.microseconds, reason: pause.reason, who: pause.who,
                at: pause.since.microseconds)))
        }
      }
    }
    workspace.announce()
  }

  /// Ends the pauses of these pipelines, and returns those that were paused. An ended pause is kept until the next one, for earlier instants that are
  /// recorded later.
  package func unpause(
    _ pipelines: [String], for requester: Requester, at time: RecordTime
  ) throws(WorkspaceError) -> [String] {
    let ended = try write { db in
      let ended = try db.changing([StoredPause.self]) { context in
        try pipelines.filter { name in
          guard let pause = try Pauses.current(of: name, at: time, in: db) else { return false }
          // The view `pipelines` uses whole seconds.
          let end = time.microseconds - time.microseconds % 1_000_000
          try context.submit(
            StoredPause.upsertRequest(
              StoredPause(
                pipeline: name, until: end, reason: pause.reason, who: pause.who, at: pause.since.microseconds)))
          return true
        }
      }
      for name in ended { try AuditRows.add(AuditEntry(time: time, by: requester, .unpause, name), in: db) }
      return ended
    }
    workspace.announce()
    return ended
  }
}
