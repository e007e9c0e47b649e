import SQLite
import Workspace

/// A pause that somebody asked for, and the one that it took the place of.
package struct PauseChange: Sendable, Hashable {
  /// The pause as it is now.
  package var pause: Pause
  /// The pause that was in force before; nil where none was.
  package var former: Pause?
}

extension History {
  /// Returns the pauses that are in force, by the names of their pipelines.
  package func pauses(at time: RecordTime) throws(WorkspaceError) -> [Pause] {
    try read { try Pauses.all(at: time, in: $0) }
  }

  /// Pauses pipelines, those that are paused already anew, for whoever they name, and since when they were. A pause without a reason keeps the one that there is; an empty reason ends it.
  /// Returns what each of them has changed.
  @discardableResult
  package func pause(
    _ pauses: [Pause], by means: Requester.Means = .command
  ) throws(WorkspaceError) -> [PauseChange] {
    let changes = try write { db in
      let changes = try pauses.map { try Self.change(to: $0, in: db) }
      for (change, asked) in zip(changes, pauses) {
        let pause = change.pause
        guard let who = pause.who else { continue }
        let detail = [pause.until.map { "until \($0.text)" }, pause.reason].compactMap { $0 }.joined(
          separator: ": ")
        try AuditRows.add(
          AuditEntry(
            time: asked.since, by: Requester(who, by: means), .pause, pause.pipeline,
            detail: detail.isEmpty ? nil : detail), in: db)
      }
      try db.changing([StoredPause.self]) { context in
        for change in changes { try context.submit(StoredPause.upsertRequest(StoredPause(change.pause))) }
      }
      return changes
    }
    workspace.announce()
    return changes
  }

  /// What becomes of a pause that somebody asks for. One that has ended by itself makes room for it.
  private static func change(to asked: Pause, in db: Database) throws -> PauseChange {
    var pause = asked
    if pause.reason?.isEmpty == true { pause.reason = nil }
    guard let former = try Pauses.latest(of: asked.pipeline, in: db) else { return PauseChange(pause: pause) }
    guard former.isInForce(at: asked.since) else {
      if let end = former.until { try FormerPauses.add(former, endedAt: end, in: db) }
      return PauseChange(pause: pause)
    }
    pause.since = min(former.since, asked.since)
    if asked.reason == nil { pause.reason = former.reason }
    return PauseChange(pause: pause, former: former)
  }

  /// Ends the pauses of these pipelines, whatever the clock does later, and returns those that were paused. That they were is remembered for a while, for instants from before
  /// the end that are recorded later.
  package func unpause(
    _ pipelines: [String], for requester: Requester, at time: RecordTime
  ) throws(WorkspaceError) -> [String] {
    let ended = try write { db in
      let ended = try db.changing([StoredPause.self]) { context in
        try pipelines.filter { name in
          guard let pause = try Pauses.latest(of: name, in: db) else { return false }
          let isInForce = pause.isInForce(at: time)
          try FormerPauses.add(pause, endedAt: isInForce ? time : pause.until ?? time, in: db)
          try context.delete(StoredPause.self, where: StoredPause.pipeline == name)
          return isInForce
        }
      }
      for name in ended { try AuditRows.add(AuditEntry(time: time, by: requester, .unpause, name), in: db) }
      return ended
    }
    workspace.announce()
    return ended
  }
}
