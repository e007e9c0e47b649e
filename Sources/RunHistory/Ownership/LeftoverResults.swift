import SQLite
import Workspace

/// What a killed host leaves where results are expected and recorded nowhere. Nobody has masked it, so it may hold secrets.
enum LeftoverResults {
  /// Removes it, and returns how many files that were. Needs a write transaction in which the run is interrupted: who goes on with it, and makes such
  /// files of its own, comes after that.
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
  /// Removes the results that nobody recorded of all interrupted runs, and returns how many there were: a process that its host had left behind may have
  /// written one after the run was marked.
  func removeLeftoverResults() throws(WorkspaceError) -> Int {
    try write { db in
      let runs = try RunRows.all(StoredRun.state == RunState.interrupted.rawValue, in: db)
      return try runs.reduce(0) { try $0 + LeftoverResults.remove(of: $1, workspace: workspace.directory, in: db) }
    }
  }
}
