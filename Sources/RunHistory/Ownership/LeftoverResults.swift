import SQLite
import Workspace

/// Result files that a killed host left without recording them. They have not been masked, so they may contain secrets.
enum LeftoverResults {
  /// Removes the files, and returns how many there were. Requires a write transaction in which the run is interrupted, so that a host that resumes it
  /// and creates such files itself comes later.
  @discardableResult
  static func remove(of run: RunRows.Numbered, workspace: String, in db: Database) throws -> Int {
    let ofAttempts = try db.fetch(for: StoredAttempt.self)
      .select(StoredAttempt.resultFile, where: StoredAttempt.of(run.number) && !StoredAttempt.resultFile.isNil())
    let ofOperations = try db.fetch(for: StoredOperation.self)
      .select(StoredOperation.resultFile, where: StoredOperation.of(run.number) && !StoredOperation.resultFile.isNil())
    let names = (ofAttempts + ofOperations).compactMap { $0?.split(separator: "/").last.map(String.init) }
    return RunDirectories(workspace: workspace).removeResults(of: run.record.id, except: Set(names))
  }
}

extension History {
  /// Removes the unrecorded results of all interrupted runs, and returns how many there were: a process that its host had left behind may have
  /// written one after the run was marked.
  func removeLeftoverResults() throws(WorkspaceError) -> Int {
    try write { db in
      let runs = try RunRows.all(StoredRun.state == RunState.interrupted.rawValue, in: db)
      return try runs.reduce(0) { try $0 + LeftoverResults.remove(of: $1, workspace: workspace.directory, in: db) }
    }
  }
}
