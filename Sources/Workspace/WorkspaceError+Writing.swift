import CLibSQLite
import Glibc
import SQLite

extension WorkspaceError {
  /// The failure, where an error says that nothing can be written at present, and not that this one thing was refused.
  static func ofWriting(_ error: any Error, path: String) -> WorkspaceError? {
    let failure: WorkspaceError
    switch error {
    case let error as ChangeError:
      guard case .workspace(let cause) = error.cause else { return nil }
      failure = cause
    case is WorkspaceError, is DatabaseError: failure = WorkspaceError(error, path: path)
    default: return nil
    }
    switch failure {
    case .full, .locked, .readOnly, .corrupt, .moved: return failure
    case .io(_, let code, _):
      return [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_NOMEM, EMFILE].contains(Int32(truncatingIfNeeded: code) & 0xff)
        ? failure : nil
    default: return nil
    }
  }

  /// The failure, where an error says that nothing can be written until the disk has room again, or another process has ended its transaction: what is tried
  /// again may succeed then.
  package static func ofWaiting(_ error: any Error, path: String) -> WorkspaceError? {
    switch ofWriting(error, path: path) {
    case .full(let path): .full(path: path)
    case .locked(let path): .locked(path: path)
    default: nil
    }
  }
}
