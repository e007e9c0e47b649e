import CLibSQLite
import Glibc
import SQLite

extension WorkspaceError {
  /// Whether the same access may succeed later: the disk is full, another process holds a lock, the process has no free descriptor or memory, or the disk failed to
  /// read or write.
  package var isPassing: Bool {
    switch self {
    case .full, .locked: true
    case .io: Self.ofWriting(self, path: "") != nil
    default: false
    }
  }

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

  /// Who holds the write lock at this moment, and what to do. The file of the lock is beside the database.
  static func holder(of path: String) -> String {
    let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    guard let holder = WriteLockHolder(in: directory) else {
      return
        "its write lock is held for too long. Wait until the process that holds it ends its transaction; one that is stopped holds it until it is continued."
    }
    let remedy = holder.isStopped ? "Continue it (`kill -CONT \(holder.pid)`)" : "Wait until it ends its transaction"
    return "\(holder.words) holds its write lock. \(remedy), or end it."
  }
}
