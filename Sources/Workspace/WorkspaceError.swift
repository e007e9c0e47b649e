/// What can go wrong with a workspace, one case for each thing that a caller or a person can act on.
public enum WorkspaceError: Error, Sendable, Equatable {
  /// The directory or the database could not be created. `reason` is the operating system's.
  case cannotCreate(path: String, reason: String)
  /// There is no workspace at the path, or the file there belongs to another program.
  case notAWorkspace(path: String, reason: String)
  /// The file was written by a newer version; nothing in it was changed.
  case newerSchema(path: String, found: Int, known: Int)
  /// The workspace can be read but not written.
  case readOnly(path: String)
  /// The file system, a quota or the database's own limit is full. Everything committed before is still there.
  case full(path: String)
  /// Another process kept the workspace locked for longer than the busy timeout (30 s).
  case locked(path: String)
  /// The file is damaged.
  case corrupt(path: String, message: String)
  /// The workspace, or the writer, has been closed.
  case closed(path: String)
  /// Anything else that SQLite or the operating system reports, with SQLite's extended code (or the `errno`).
  case io(path: String, code: Int, message: String)

  /// A stable name for programs: it never changes, whatever the message says.
  public var code: String {
    switch self {
    case .cannotCreate: "workspace-cannot-create"
    case .notAWorkspace: "workspace-not-found"
    case .newerSchema: "workspace-newer"
    case .readOnly: "workspace-read-only"
    case .full: "workspace-full"
    case .locked: "workspace-locked"
    case .corrupt: "workspace-corrupt"
    case .closed: "workspace-closed"
    case .io: "workspace-io"
    }
  }

  /// The file or directory it happened to.
  public var path: String {
    switch self {
    case .cannotCreate(let path, _), .notAWorkspace(let path, _), .newerSchema(let path, _, _), .readOnly(let path),
      .full(let path), .locked(let path), .corrupt(let path, _), .closed(let path), .io(let path, _, _):
      path
    }
  }
}

extension WorkspaceError: CustomStringConvertible {
  /// One line for people: what happened, where, and what to do.
  public var description: String {
    switch self {
    case .cannotCreate(let path, let reason):
      "cannot create a workspace at \(path): \(reason). Choose a directory you may write to with --workspace."
    case .notAWorkspace(let path, let reason):
      "\(path) is not a workspace: \(reason)."
    case .newerSchema(let path, let found, let known):
      "\(path) was written by a newer version (schema \(found), this version knows \(known)). "
        + "Nothing was changed; use the newer version, or another workspace."
    case .readOnly(let path):
      "cannot write to \(path): it is read-only. Check its permissions, or choose another workspace."
    case .full(let path):
      "cannot write to \(path): the disk or quota is full. Everything recorded before is safe; free some space and try again."
    case .locked(let path):
      "\(path) has been locked by another process for 30 s. Look for a stopped process that has it open, then try again."
    case .corrupt(let path, let message):
      "\(path) is damaged (\(message)). Move it away, together with its -wal and -shm files, and start a new workspace."
    case .closed(let path):
      "\(path) has been closed."
    case .io(let path, let code, let message):
      "cannot use \(path): \(message) (code \(code))."
    }
  }
}
