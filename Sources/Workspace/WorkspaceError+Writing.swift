import CLibSQLite
import Glibc
import SQLite

extension WorkspaceError {
  /// Whether the same access may succeed later: the disk is full, another process holds a lock, the process has no free descriptor or memory, or the disk
  /// failed to read or write.
  package var isPassing: Bool {
    switch self {
    case .full, .locked: true
    case .io: Self.ofWriting(self, path: "") != nil
    default: false
    }
  }

  /// Returns the failure if an error means that nothing can be written at present, as opposed to a rejection of this particular change.
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

  /// Returns the failure if an error means that nothing can be written until the disk has space again, or another process has ended its transaction: a
  /// retry may then succeed.
  package static func ofWaiting(_ error: any Error, path: String) -> WorkspaceError? {
    switch ofWriting(error, path: path) {
    case .full(let path): .full(path: path)
    case .locked(let path): .locked(path: path)
    default: nil
    }
  }

  /// Describes the current holder of the write lock, and what to do. The lock file is beside the database.
  static func holder(of path: String) -> String {
    let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    guard let holder = WriteLockHolder(in: directory) else {
      return
        "another process has held its write lock for too long. Wait until that process ends its transaction; if it is stopped, continue it."
    }
    let remedy = holder.isStopped ? "Continue it (`kill -CONT \(holder.pid)`)" : "Wait until it ends its transaction"
    return "\(holder.words) holds its write lock. \(remedy), or end it."
  }
}
