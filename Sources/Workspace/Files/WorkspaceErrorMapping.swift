import CLibSQLite
import Glibc
import OperatingSystem
import SQLite

extension WorkspaceError {
  /// Converts an error from SQLite to one of the workspace at `path`.
  public init(_ error: any Error, path: String) {
    switch error {
    case let error as WorkspaceError: self = error
    case let error as DatabaseError:
      self.init(
        sqliteCode: error.extendedResultCode.rawValue, message: error.message ?? "unknown error", path: path)
    default: self = .io(path: path, code: 0, message: String(describing: error))
    }
  }

  /// `SQLITE_IOERR_SHMSIZE`, a computed macro, which Swift does not import.
  private static let cannotGrowSharedMemory: Int32 = SQLITE_IOERR | 19 << 8

  init(sqliteCode code: Int32, message: String, path: String) {
    switch code & 0xff {
    case SQLITE_FULL: self = .full(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .locked(path: path)
    case SQLITE_READONLY, SQLITE_PERM: self = .readOnly(path: path)
    case SQLITE_NOTADB: self = .notAWorkspace(path: path, reason: "the file is not a database")
    case SQLITE_CORRUPT: self = .corrupt(path: path, message: message)
    case SQLITE_CANTOPEN where Self.isOutOfDescriptors:
      self = .io(path: path, code: Int(EMFILE), message: SystemError.textWithAdvice(of: EMFILE))
    case SQLITE_CANTOPEN where Self.isOutOfFiles(beside: path): self = .full(path: path)
    case SQLITE_CANTOPEN:
      self =
        WorkspaceFiles.forbidden(database: path).map { .notPermitted(path: $0) }
        ?? .io(path: path, code: Int(code), message: message)
    case SQLITE_MISUSE where message.contains("closed"): self = .closed(path: path)
    // The shared memory is also a file; if it cannot grow, the disk is full.
    case SQLITE_IOERR where code == Self.cannotGrowSharedMemory: self = .full(path: path)
    default: self = .io(path: path, code: Int(code), message: message)
    }
  }

  /// Returns `full` if SQLite reports an I/O error caused by a quota or a limit of the operating system.
  ///
  /// SQLite itself recognizes only `ENOSPC`. Call this before anything else runs on the connection.
  static func exhaustion(_ error: any Error, on db: Database, path: String) -> WorkspaceError? {
    guard let error = error as? DatabaseError, error.resultCode == .SQLITE_IOERR else { return nil }
    let code = db.sqliteConnection.map(penstock_sqlite3_log_errno) ?? 0
    return code == ENOSPC || code == EDQUOT || code == EFBIG ? .full(path: path) : nil
  }

  /// SQLite does not say why it cannot create a file, so this tries to create an unnamed one beside the database.
  private static func isOutOfFiles(beside path: String) -> Bool {
    guard let slash = path.lastIndex(of: "/") else { return false }
    // O_TMPFILE, a macro that Swift does not import.
    let descriptor = Glibc.open(String(path[..<slash]), 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno == ENOSPC || errno == EDQUOT }
    Glibc.close(descriptor)
    return false
  }

  /// SQLite does not say why it cannot open a file, so this tries to open others. A connection needs up to four, and the locks beside it two; those opened
  /// before it failed are closed by now.
  private static var isOutOfDescriptors: Bool {
    var opened: [Int32] = []
    defer { for descriptor in opened { Glibc.close(descriptor) } }
    for _ in 0..<8 {
      let descriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return errno == EMFILE || errno == ENFILE }
      opened.append(descriptor)
    }
    return false
  }
}
