import CLibSQLite

/// Why a user's query was refused or stopped.
public enum GuardedQueryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The query does something other than read the tables and views of the workspace.
  case notAllowed(what: String)
  /// The query is invalid; `offset` is the position in bytes, if SQLite reports it.
  case invalid(message: String, offset: Int?)
  /// The query exceeded the limit on steps.
  case tooLong(steps: Int)

  /// A stable name for programs.
  public var code: String {
    switch self {
    case .notAllowed: "query-not-allowed"
    case .invalid: "query-invalid"
    case .tooLong: "query-too-long"
    }
  }

  /// A one-line message for people to read.
  public var description: String {
    switch self {
    case .notAllowed(let what):
      "the query is refused: \(what). One SELECT statement over the views and tables of the workspace is allowed."
    case .invalid(let message, _):
      "the query is invalid: \(message)."
    case .tooLong(let steps):
      "the query was stopped after \(steps) steps of SQLite's virtual machine. Narrow it, for example by time, or raise the limit."
    }
  }
}

/// Runs one query written by a user, on its own read-only connection, with an authorizer that allows only reading, and with a limit on the number of steps.
///
/// The following are refused: every statement but `SELECT`, more than one statement, `ATTACH`, `PRAGMA` (including its table-valued functions), and
/// loading extensions. No value may be longer than 64 MiB.
public final class GuardedQuery {
  /// The default limit on the steps of SQLite's virtual machine: 500 million, about five seconds.
  ///
  /// A window over a million rows, as for the percentiles of `durations`, takes 150 million.
  public static let defaultStepLimit = 500_000_000
  private static let stepsBetweenChecks = 1000
  private static let valueLimit: Int32 = 64 << 20

  /// The state of the SQLite callbacks, which run on the thread that calls SQLite, inside that call.
  private final class Guard {
    var refusal: String?
    var stepsLeft: Int
    init(steps: Int) { stepsLeft = steps }
  }

  /// The names of the columns.
  public let columns: [String]
  private let connection: OpaquePointer
  private let statement: OpaquePointer
  private let watch: Guard
  private let steps: Int
  private let path: String

  /// Prepares a query on a workspace.
  ///
  /// Throws ``GuardedQueryError`` if the query is refused or invalid, ``WorkspaceError`` if the workspace cannot be read.
  public init(_ sql: String, on workspace: OpenWorkspace, stepLimit: Int = GuardedQuery.defaultStepLimit) throws {
    path = workspace.path
    steps = max(1, stepLimit)
    watch = Guard(steps: steps)
    connection = try Self.open(workspace.path)
    do {
      Self.install(watch, on: connection)
      statement = try Self.prepare(sql, on: connection, watch: watch)
    } catch {
      sqlite3_close_v2(connection)
      throw error
    }
    columns = Self.columns(of: statement)
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close_v2(connection)
  }

  private static func columns(of statement: OpaquePointer) -> [String] {
    (0..<sqlite3_column_count(statement)).map { column in
      sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
    }
  }

  /// Returns the next row, or nil after the last one.
  public func next() throws -> [SQLValue]? {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return (0..<Int32(columns.count)).map(value)
    case SQLITE_DONE: return nil
    case SQLITE_INTERRUPT: throw GuardedQueryError.tooLong(steps: steps)
    case let code where code & 0xff == SQLITE_ERROR || code & 0xff == SQLITE_TOOBIG || code & 0xff == SQLITE_MISMATCH:
      throw GuardedQueryError.invalid(message: String(cString: sqlite3_errmsg(connection)), offset: nil)
    case let code:
      throw WorkspaceError(sqliteCode: code, message: String(cString: sqlite3_errmsg(connection)), path: path)
    }
  }

  private func value(_ column: Int32) -> SQLValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .int(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .double(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      guard let text = sqlite3_column_text(statement, column) else { return .null }
      let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column)))
      return .text(String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))))
    default: return .null
    }
  }

  /// SQLite declares a table-valued function at its first use, which the authorizer sees as a schema change. The useful ones are therefore used once
  /// before the authorizer is installed.
  private static let preparation = """
    PRAGMA temp_store = MEMORY; SELECT 1 FROM sqlite_schema, json_each('[]'), json_tree('[]') LIMIT 1
    """

  private static func open(_ path: String) throws -> OpaquePointer {
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var connection: OpaquePointer?
    var code = sqlite3_open_v2(path, &connection, flags, nil)
    if code == SQLITE_OK {
      code = sqlite3_exec(connection, preparation, nil, nil, nil)
    }
    if code != SQLITE_OK, let files = WorkspaceFiles.unchanging(database: path) {
      sqlite3_close_v2(connection)
      code = sqlite3_open_v2(files, &connection, flags | SQLITE_OPEN_URI, nil)
      if code == SQLITE_OK { code = sqlite3_exec(connection, preparation, nil, nil, nil) }
    }
    guard code == SQLITE_OK, let connection else {
      let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(connection)
      throw WorkspaceError(sqliteCode: code, message: message, path: path)
    }
    _ = penstock_sqlite3_no_checkpoint_on_close(connection)
    sqlite3_busy_timeout(connection, Int32(ConnectionSettings.patience * 1000))
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, valueLimit)
    sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
    return connection
  }

  private static func install(_ watch: Guard, on connection: OpaquePointer) {
    let context = Unmanaged.passUnretained(watch).toOpaque()
    sqlite3_set_authorizer(
      connection,
      { context, action, first, second, _, _ in
        guard let refusal = GuardedQuery.refusal(of: action, first, second) else { return SQLITE_OK }
        context.map { Unmanaged<Guard>.fromOpaque($0).takeUnretainedValue().refusal = refusal }
        return SQLITE_DENY
      }, context)
    sqlite3_progress_handler(
      connection, Int32(min(stepsBetweenChecks, watch.stepsLeft)),
      { context in
        guard let context else { return 0 }
        let watch = Unmanaged<Guard>.fromOpaque(context).takeUnretainedValue()
        watch.stepsLeft -= GuardedQuery.stepsBetweenChecks
        return watch.stepsLeft <= 0 ? 1 : 0
      }, context)
  }

  private static let changing = "it would change the workspace"

  /// Returns why an action is refused, or nil if it is allowed.
  private static func refusal(
    of action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
  ) -> String? {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return nil
    case SQLITE_FUNCTION:
      let name = second.map { String(cString: $0) } ?? ""
      return name.lowercased() == "load_extension" ? "it calls \(name)" : nil
    case SQLITE_PRAGMA: return "it uses PRAGMA \(first.map { String(cString: $0) } ?? "")"
    case SQLITE_ATTACH, SQLITE_DETACH: return "it attaches or detaches a database"
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: return "it controls a transaction"
    default: return changing
    }
  }

  private static func prepare(_ sql: String, on connection: OpaquePointer, watch: Guard) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let rest: String? = sql.withCString { text in
      var end: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(connection, text, -1, &statement, &end)
      return code == SQLITE_OK ? end.map { String(cString: $0) } ?? "" : nil
    }
    guard let rest else {
      if let refusal = watch.refusal {
        // The authorizer sees a pragma used as a table as a schema change.
        let pragma = sql.firstMatch(of: /(?i)\bpragma_\w+/).map { "it uses \($0.output)" }
        throw GuardedQueryError.notAllowed(what: refusal == changing ? pragma ?? refusal : refusal)
      }
      let offset = sqlite3_error_offset(connection)
      throw GuardedQueryError.invalid(
        message: String(cString: sqlite3_errmsg(connection)), offset: offset < 0 ? nil : Int(offset))
    }
    guard let statement else { throw GuardedQueryError.invalid(message: "there is no statement", offset: nil) }
    // Another statement may follow, or comments and blanks, which prepare to nothing.
    var next: OpaquePointer?
    watch.refusal = nil
    let code = sqlite3_prepare_v2(connection, rest, -1, &next, nil)
    sqlite3_finalize(next)
    let isAlone = code == SQLITE_OK && next == nil
    guard isAlone, sqlite3_stmt_readonly(statement) != 0 else {
      sqlite3_finalize(statement)
      // The authorizer is not called for `VACUUM`.
      throw GuardedQueryError.notAllowed(what: isAlone ? Self.changing : "it has more than one statement")
    }
    return statement
  }
}
