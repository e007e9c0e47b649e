import Glibc

/// The advisory lock on `workspace.lock` that separates checkpoints from writes.
///
/// SQLite before 3.51.3 can corrupt a WAL file when one connection checkpoints while another writes. Every write holds this lock shared; a checkpoint
/// holds it exclusively. `flock` belongs to the open file, so two workspaces in one process exclude each other as two processes do, and the kernel
/// releases the lock when a process dies.
final class WriteLock: Sendable {
  static let name = "workspace.lock"
  private let descriptor: Int32
  private let path: String
  private let patience: BusyPatience

  /// Opens the lock file, creating it for its owner alone.
  init(directory: String, patience: BusyPatience) throws(WorkspaceError) {
    self.patience = patience
    path = "\(directory)/\(Self.name)"
    descriptor = try OwnFile.open(Self.name, in: directory, O_RDWR | O_CREAT)
  }

  deinit { close(descriptor) }

  /// Waits for the shared lock, at most as long as a connection waits for another.
  func lockShared() throws(WorkspaceError) {
    try wait(for: LOCK_SH)
  }

  /// Waits for the exclusive lock, at most as long as a connection waits for another.
  func lockExclusive() throws(WorkspaceError) {
    try wait(for: LOCK_EX)
  }

  private func wait(for kind: Int32) throws(WorkspaceError) {
    var began: Int64?
    while flock(descriptor, kind | LOCK_NB) != 0 {
      // Not a blocking flock: a process that is stopped during a checkpoint must not hang this one forever.
      let code = errno
      let now = BusyPatience.now()
      guard code == EWOULDBLOCK || code == EINTR, .nanoseconds(now - (began ?? now)) < patience.length else {
        throw .locked(path: path)
      }
      began = began ?? now
      usleep(500)
    }
  }

  /// Takes the shared lock unless a checkpoint is running.
  func tryLockShared() -> Bool {
    flock(descriptor, LOCK_SH | LOCK_NB) == 0
  }

  /// Takes the exclusive lock unless something is being written.
  func tryLockExclusive() -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  func unlock() {
    flock(descriptor, LOCK_UN)
  }
}
