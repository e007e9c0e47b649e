/// The kinds of history records that a case can expect, each with a query over the public views that returns one line per record.
enum RecordKind: String, Sendable {
  /// `state reason`
  case run
  /// `pipeline state reason`, for every run, the oldest first.
  case runs
  /// `operation state reason attempts result`
  case operations
  /// `operation number state exit error_code retry_delay_ms wake_cause`
  case attempts
  /// `operation error_code error`
  case errors

  /// The number of fields in a line. Only the last one may contain spaces.
  var fieldCount: Int {
    switch self {
    case .run: 2
    case .runs, .errors: 3
    case .operations: 5
    case .attempts: 7
    }
  }

  /// The number of fields that identify a record.
  var keyCount: Int {
    switch self {
    case .run, .runs: 0
    case .operations, .errors: 1
    case .attempts: 2
    }
  }

  /// Returns the SQL that yields the lines in a column `line`.
  func query(pipeline: String?) -> String {
    let condition = pipeline.map { "pipeline = '\($0)'" } ?? "parent IS NULL"
    let latest = "(SELECT id FROM runs WHERE \(condition) ORDER BY created_at DESC, id DESC LIMIT 1)"
    switch self {
    case .run:
      return "SELECT \(Self.line(["state", "reason"])) AS line FROM runs WHERE id = \(latest)"
    case .runs:
      return "SELECT \(Self.line(["pipeline", "state", "reason"])) AS line FROM runs ORDER BY created_at, id"
    case .operations:
      let result = "coalesce(result, CASE WHEN result_file IS NOT NULL THEN 'file' END)"
      let line = Self.line(["operation", "state", "reason", "attempts", result])
      return
        "SELECT \(line) AS line FROM operations WHERE run = \(latest) ORDER BY position, length(operation), operation"
    case .attempts:
      // `printf` would print 0 for NULL.
      let delay = "CASE WHEN retry_delay_ms IS NOT NULL THEN printf('%.15g', retry_delay_ms) END"
      let exit = "coalesce(exit_code, 'signal:' || signal)"
      let line = Self.line(["operation", "number", "state", exit, "error_code", delay, "wake_cause"])
      return "SELECT \(line) AS line FROM attempts WHERE run = \(latest) ORDER BY length(operation), operation, number"
    case .errors:
      let line = Self.line(["operation", "error_code", "error"])
      let condition = "run = \(latest) AND error IS NOT NULL"
      return "SELECT \(line) AS line FROM operations WHERE \(condition) ORDER BY position, operation"
    }
  }

  private static func line(_ fields: [String]) -> String {
    fields.map { "coalesce(\($0), '-')" }.joined(separator: " || ' ' || ")
  }
}
