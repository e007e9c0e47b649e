import SQLite
import Values
import Workspace

/// A kind of record, exported as rows of the view of that name.
public enum RecordRows: String, Sendable, CaseIterable {
  /// A row for each run.
  case runs
  /// A row for each operation of each run.
  case operations
  /// A row for each attempt.
  case attempts
}

extension History {
  /// Exports runs as JSON objects, one for each run, with their operations, each with its attempts. Each run is followed by the runs that its
  /// operations started, whether or not they match the filter.
  ///
  /// ``importRuns(filesFrom:_:)`` creates the same records from them. Names and units are those of the public views; times have microseconds; params,
  /// items, details and results are JSON values; missing values are omitted. `line` is called with the bytes of one object without a line feed, and
  /// may throw to end the export. Runs are read one after another rather than in one snapshot, so that a long export does not prevent the write-ahead
  /// log from being truncated.
  public func export(_ filter: RunFilter, line: ([UInt8]) throws -> Void) throws {
    try families(filter) { run in
      guard let whole = try loadForResume(run) else { return }
      var bytes: [UInt8] = []
      ExportedRun(whole).value().write(to: &bytes)
      try line(bytes)
    }
  }

  /// Calls `body` with each run that matches a filter, each followed by those nested in it, and each only once.
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

  /// Exports the rows of runs from a public view: first the names of its columns, then one row after another. Nested runs are included as in
  /// ``export(_:line:)``.
  ///
  /// Times are texts, params and results JSON texts; missing values are null. `row` may throw to end the export.
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
