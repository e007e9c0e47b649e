import Foundation
import RunHistory
import SQLite
import Workspace

/// A workspace's history as an outsider reads it: directly from the database, with a connection that cannot write.
struct HistoryProbe {
  private let history: History
  private let directory: String

  init(_ directory: String) throws {
    self.directory = directory
    history = try History.open(at: directory, mode: .readOnly)
  }

  /// Returns rows as texts; a null is an empty text.
  func rows(_ sql: String) throws -> [[String]] {
    try history.workspace.read { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { value in value.isNull ? "" : String.fromDatabaseValue(value) ?? value.description }
      }
    }
  }

  /// Returns the first column of the first row.
  func value(_ sql: String) throws -> String? { try rows(sql).first?.first }

  /// Checks everything that must hold for a history at any time, whatever happened to its hosts. Returns a line for each breach.
  func breaches() throws -> [String] {
    var breaches: [String] = []
    func expectNone(_ what: String, _ sql: String) throws {
      for row in try rows(sql) { breaches.append("\(what): \(row.joined(separator: " "))") }
    }
    for row in try rows("PRAGMA integrity_check") where row != ["ok"] { breaches.append("integrity: \(row)") }
    try expectNone(
      "an attempt without its operation",
      "SELECT a.operation, a.number FROM attempt_record a LEFT JOIN operation_record o ON o.key = a.operation WHERE o.key IS NULL"
    )
    try expectNone(
      "an operation without its run",
      "SELECT o.key, o.name FROM operation_record o LEFT JOIN run_record r ON r.number = o.key >> 32 WHERE r.number IS NULL"
    )
    try expectNone(
      "an item without its loop",
      """
      SELECT o.key, o.name FROM operation_record o
      WHERE o.parent IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM operation_record p WHERE p.key = ((o.key >> 32) << 32 | o.parent))
      """)
    try expectNone(
      "a run without its definition",
      "SELECT r.id FROM run_record r LEFT JOIN definition d ON d.number = r.definition WHERE d.number IS NULL")
    try expectNone(
      "an operation that is recorded twice",
      "SELECT run, operation, count(*) FROM operations GROUP BY run, operation HAVING count(*) > 1")
    try expectNone(
      "an attempt that is recorded twice",
      "SELECT run, operation, number, count(*) FROM attempts GROUP BY run, operation, number HAVING count(*) > 1")
    for column in ["stdout_file", "stderr_file"] {
      for row in try rows("SELECT run, operation, number, \(column) FROM attempts WHERE \(column) IS NOT NULL") {
        if !FileManager.default.fileExists(atPath: absolute(row[3])) { breaches.append("a lost log: \(row)") }
      }
    }
    for row in try rows("SELECT run, operation, result_file FROM operations WHERE result_file IS NOT NULL") {
      if !FileManager.default.fileExists(atPath: absolute(row[2])) { breaches.append("a lost result: \(row)") }
    }
    return breaches
  }

  /// Checks what must also hold once every run has ended.
  func breachesAtRest() throws -> [String] {
    var breaches = try breaches()
    for row in try rows("SELECT id, state FROM runs WHERE state NOT IN ('succeeded', 'failed', 'cancelled')") {
      breaches.append("a run that never ended: \(row)")
    }
    let going = "('pending', 'waiting', 'running', 'retrying')"
    for row in try rows("SELECT run, operation, state FROM operations WHERE state IN \(going)") {
      breaches.append("an operation that never ended: \(row)")
    }
    for row in try rows("SELECT run, operation, number, state FROM attempts WHERE state IN \(going)") {
      breaches.append("an attempt that never ended: \(row)")
    }
    for row in try rows(
      """
      SELECT o.key, o.name, o.attempts, count(a.number), coalesce(min(a.number), 1), coalesce(max(a.number), 0)
      FROM operation_record o LEFT JOIN attempt_record a ON a.operation = o.key GROUP BY o.key
      HAVING count(a.number) <> o.attempts OR coalesce(min(a.number), 1) <> 1 OR coalesce(max(a.number), 0) <> o.attempts
      """)
    {
      breaches.append("attempts with gaps (key, name, attempts, rows, least, greatest): \(row)")
    }
    return breaches
  }

  private func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(directory)/\(path)" }
}
