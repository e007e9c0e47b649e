import SQLite
import Workspace

/// What a killed host leaves where results are expected and recorded nowhere. Nobody has masked it, so it may hold secrets.
enum LeftoverResults {
  /// Removes it, and returns how many files that were. Needs a write transaction in which the run is interrupted: who goes on with it, and makes such
  /// files of its own, comes after that.
  @discardableResult
  static func remove(of run: RunRows.Numbered, workspace: String, in db: Database) throws -> Int {
    let range = InstanceKey.range(of: run.number)
    let recorded = try String.fetchAll(
      db,
      sql: """
        SELECT result_file FROM attempt_record WHERE operation BETWEEN ?1 AND ?2 AND result_file IS NOT NULL
        UNION SELECT result_file FROM operation_record WHERE key BETWEEN ?1 AND ?2 AND result_file IS NOT NULL
        """, arguments: [range.first, range.last])
    let names = recorded.compactMap { $0.split(separator: "/").last.map(String.init) }
    return RunDirectories(workspace: workspace).removeResults(of: run.record.id, except: Set(names))
  }
}

extension History {
  /// Removes the results that nobody recorded of all interrupted runs, and returns how many there were: a process that its host had left behind may have
  /// written one after the run was marked.
  func removeLeftoverResults() throws(WorkspaceError) -> Int {
    try write { db in
      let runs = try Row.fetchAll(
        db, sql: "SELECT \(RunRows.columns) FROM run_record r WHERE r.state = 'interrupted'"
      ).compactMap { RunRows.record($0, in: db) }
      return try runs.reduce(0) { try $0 + LeftoverResults.remove(of: $1, workspace: workspace.directory, in: db) }
    }
  }

  /// For a command that only reads: marks runs whose host is gone, which removes what they left, where there is one and the workspace can be written.
  /// Returns which ones.
  @discardableResult
  package func markInterruptedIfPossible() -> [RunID] {
    guard (try? hasAbandoned()) == true,
      let writer = try? Self.open(at: workspace.directory, mode: .readWrite)
    else { return [] }
    defer { writer.workspace.close() }
    return (try? writer.markInterrupted()) ?? []
  }
}
