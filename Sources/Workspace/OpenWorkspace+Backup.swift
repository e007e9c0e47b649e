import CLibSQLite
import Glibc
import OperatingSystem
import SQLite

extension OpenWorkspace {
  /// Copies the database to a file, as it is at one instant, while it is being read and written.
  ///
  /// The copy replaces an existing file once it is complete; it has no log beside it, and only its owner may read it. A copy named `workspace.db`, in its
  /// own directory, can be opened as a workspace.
  public func backup(to path: String) throws {
    // A device or FIFO would be deleted for everyone.
    var status = stat()
    guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw WorkspaceError.cannotCreate(path: path, reason: "it is not a regular file")
    }
    let part = path + ".part"
    unlink(part)
    let descriptor = Glibc.open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw WorkspaceError.cannotCreate(path: path, reason: SystemError.textWithAdvice(of: errno))
    }
    defer {
      Glibc.close(descriptor)
      unlink(part)
    }
    guard !isClosed, let reader = try readers.borrow() else { throw WorkspaceError.closed(path: self.path) }
    defer { readers.giveBack(reader) }
    do {
      let copy = try DatabaseQueue(path: part)
      try reader.backup(to: copy)
      // The copy has the journal mode of the original, and would leave a log beside it.
      try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try copy.close()
    } catch {
      throw WorkspaceError(error, path: path)
    }
    guard fsync(descriptor) == 0, rename(part, path) == 0 else {
      throw WorkspaceError.io(path: path, code: Int(errno), message: SystemError.textWithAdvice(of: errno))
    }
  }

  /// Checks the whole file and returns its errors, in SQLite's words, at most 100 lines; empty if it is intact.
  public func checkIntegrity() throws -> [String] {
    do {
      let lines = try read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
      return lines == ["ok"] ? [] : lines
    } catch WorkspaceError.corrupt(_, let message) {
      return [message]
    }
  }
}
