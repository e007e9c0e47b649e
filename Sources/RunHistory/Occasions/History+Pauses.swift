import SQLite
import Workspace

/// A requested pause, and the one that it replaced.
package struct PauseChange: Sendable, Hashable {
  /// The pause as it is now.
  package var pause: Pause
  /// The pause that was in force before; nil if there was none.
  package var former: Pause?
}

extension History {
  /// Returns the pauses that are in force, by the names of their pipelines.
  package func pauses(at time: RecordTime) throws(WorkspaceError) -> [Pause] {
    try read { try Pauses.all(at: time, in: $0) }
  }

  /// Pauses pipelines, and returns what has changed for each. A pipeline that is already paused is paused again, under the new name but since the former
  /// time. A pause without a reason keeps the former reason; an empty reason removes it.
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

  /// Returns the effect of a requested pause. It replaces one that has expired.
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

  /// Ends the pauses of these pipelines, even if the clock is set back later, and returns the pipelines that were paused. Ended pauses are kept for a while,
  /// for instants before their end that are recorded later.
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
