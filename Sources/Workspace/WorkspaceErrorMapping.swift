import CLibSQLite
import GRDB
import Glibc

extension WorkspaceError {
  /// What an error from SQLite means for the workspace at `path`.
  public init(_ error: any Error, path: String) {
    switch error {
    case let error as WorkspaceError: self = error
    case let error as DatabaseError:
      self.init(
        sqliteCode: error.extendedResultCode.rawValue, message: error.message ?? "unknown error", path: path)
    default: self = .io(path: path, code: 0, message: String(describing: error))
    }
  }

  init(sqliteCode code: Int32, message: String, path: String) {
    switch code & 0xff {
    case SQLITE_FULL: self = .full(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .locked(path: path)
    case SQLITE_READONLY, SQLITE_PERM: self = .readOnly(path: path)
    case SQLITE_NOTADB: self = .notAWorkspace(path: path, reason: "the file is not a database")
    case SQLITE_CORRUPT: self = .corrupt(path: path, message: message)
    case SQLITE_MISUSE where message.contains("closed"): self = .closed(path: path)
    // A write that fails for want of space inside the -shm or -wal file is reported as an I/O error; errno tells.
    case SQLITE_IOERR where errno == ENOSPC || errno == EDQUOT || errno == EFBIG: self = .full(path: path)
    default: self = .io(path: path, code: Int(code), message: message)
    }
  }

  static func systemMessage(_ code: Int32) -> String {
    String(cString: strerror(code))
  }
}
