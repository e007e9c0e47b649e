import SQLite
import Values
import Workspace

/// A kind of record, as rows of the view of that name.
public enum RecordRows: String, Sendable, CaseIterable {
  /// A row for each run.
  case runs
  /// A row for each operation of each run.
  case operations
  /// A row for each attempt.
  case attempts
}

extension History {
  /// Hands out runs as JSON objects, one for each run, with their operations, and their attempts in those. After each run come the runs that
  /// its operations started, whether the filter names them or not.
  ///
  /// ``importRuns(_:)`` makes the same records of them again. Names and units are those of the public views; times have microseconds, params,
  /// items, details and results are JSON values, and what has no value is left out. `line` is given the bytes of one object without a line
  /// feed, and may throw to end the export. Runs are read one after the other, not in one snapshot, so that a long export keeps nobody from
  /// shortening the write-ahead log.
  public func export(_ filter: RunFilter, line: ([UInt8]) throws -> Void) throws {
    try families(filter) { run in
      guard let whole = try loadForResume(run) else { return }
      var bytes: [UInt8] = []
      ExportedRun(whole).value().write(to: &bytes)
      try line(bytes)
    }
  }

  /// Hands out the runs that a filter names, each followed by those nested in it, and none twice.
  private func families(_ filter: RunFilter, _ body: (RunID) throws -> Void) throws {
    var seen: Set<RunID> = []
    for record in try runs(filter) {
      var open = [record.id]
      while let run = open.popLast() {
        guard seen.insert(run).inserted else { continue }
        try body(run)
        open += try nestedRuns(of: run).reversed()
      }
    }
  }

  /// Hands out the rows of runs as a public view has them: the names of its columns first, then a row after the other. Nested runs come along as
  /// in ``export(_:line:)``.
  ///
  /// Times are texts, params and results JSON texts; what has no value is null. `row` may throw to end the export.
  public func exportRows(_ rows: RecordRows, of filter: RunFilter, row: ([SQLValue]) throws -> Void) throws {
    let key = rows == .runs ? "id" : "run"
    let order = rows == .runs ? "" : rows == .attempts ? " ORDER BY started_at, operation, number" : ""
    let sql = "SELECT * FROM \(rows.rawValue) WHERE \(key) = ?\(order)"
    let columns = try read { try $0.cachedStatement(sql: sql).columnNames }
    try row(columns.map { .text($0) })
    try families(filter) { run in
      let found = try read { db in
        try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [run.text]).map { row in
          Array(row.databaseValues.map(SQLValue.init))
        }
      }
      for values in found { try row(values) }
    }
  }
}

extension SQLValue {
  fileprivate init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .int(number)
    case .double(let number): self = .double(number)
    case .string(let text): self = .text(text)
    case .blob(let bytes): self = .blob(bytes)
    }
  }
}
