import SQLite
import Workspace

extension History {
  /// The pauses that are in force, by the names of their pipelines.
  package func pauses(at time: RecordTime) throws(WorkspaceError) -> [Pause] {
    try read { try Pauses.all(at: time, in: $0) }
  }

  /// Pauses pipelines, those that are paused already anew.
  package func pause(_ pauses: [Pause]) throws(WorkspaceError) {
    try write { db in
      try db.changing([StoredPause.self]) { context in
        for pause in pauses {
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

  /// Ends the pauses of these pipelines, and returns those that were paused.
  package func unpause(_ pipelines: [String], at time: RecordTime) throws(WorkspaceError) -> [String] {
    let ended = try write { db in
      try db.changing([StoredPause.self]) { context in
        try pipelines.filter { name in
          let wasPaused = try Pauses.current(of: name, at: time, in: db) != nil
          try context.delete(StoredPause.self, where: StoredPause.pipeline == name)
          return wasPaused
        }
      }
    }
    workspace.announce()
    return ended
  }
}
