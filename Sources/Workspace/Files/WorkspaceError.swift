/// A failure of a workspace, with one case for each that a caller or a person can act on.
public enum WorkspaceError: Error, Sendable, Equatable {
  /// The directory or the database could not be created. `reason` is the operating system's message.
  case cannotCreate(path: String, reason: String)
  /// There is no workspace at the path, or the file there belongs to another program.
  case notAWorkspace(path: String, reason: String)
  /// The file was written by a newer version; nothing in it was changed.
  case newerSchema(path: String, found: Int, known: Int)
  /// The user of this process may not enter the directory or read a file in it. `path` is the directory or the file.
  case notPermitted(path: String)
  /// The workspace can be read but not written.
  case readOnly(path: String)
  /// The workspace can be read but is not written to, because it belongs to another user or its schema contains additions of another program. `reason`
  /// says which.
  case untrusted(path: String, reason: String)
  /// The file system, a quota or the database's own limit is full. Everything committed before is intact.
  case full(path: String)
  /// Another process kept the workspace locked for longer than this one waits (30 s by default); or the caller does so itself, by writing inside of a
  /// transaction without its context.
  case locked(path: String)
  /// The file is damaged.
  case corrupt(path: String, message: String)
  /// The database, or a file of its log, was moved, deleted or replaced while the workspace was open; anything written since is in the moved or deleted file.
  case moved(path: String)
  /// The workspace, or the writer, was closed.
  case closed(path: String)
  /// A type of objects does not fit the file, or its declaration contradicts itself.
  case unsuitableSchema(path: String, reason: String)
  /// A query compares with a value that no column can have.
  case unsuitableQuery(path: String, reason: String)
  /// A value in the file does not have its field's type: another version or another program has written it.
  case unreadable(path: String, field: String, value: String)
  /// The type is not among the objects of the schema with which the workspace was opened.
  case unknownType(path: String, type: String)
  /// The snapshot was used after the call that created it.
  case snapshotEnded(path: String)
  /// The snapshot lasted so long that there was no room left for what was written meanwhile.
  case snapshotExpired(path: String)
  /// Any other error of SQLite or the operating system, with SQLite's extended code (or the `errno`).
  case io(path: String, code: Int, message: String)

  /// A stable name for programs, which never changes, whatever the message says.
  public var code: String {
    switch self {
    case .cannotCreate: "workspace-cannot-create"
    case .notAWorkspace: "workspace-not-found"
    case .newerSchema: "workspace-newer"
    case .notPermitted: "workspace-not-permitted"
    case .readOnly: "workspace-read-only"
    case .untrusted: "workspace-untrusted"
    case .full: "workspace-full"
    case .locked: "workspace-locked"
    case .corrupt: "workspace-corrupt"
    case .moved: "workspace-moved"
    case .closed: "workspace-closed"
    case .unsuitableSchema: "workspace-schema"
    case .unsuitableQuery: "workspace-query"
    case .unreadable: "workspace-unreadable"
    case .unknownType: "workspace-unknown-type"
    case .snapshotEnded: "workspace-snapshot-ended"
    case .snapshotExpired: "workspace-snapshot-expired"
    case .io: "workspace-io"
    }
  }

  /// The file or directory concerned.
  public var path: String {
    switch self {
    case .cannotCreate(let path, _), .notAWorkspace(let path, _), .newerSchema(let path, _, _),
      .notPermitted(let path), .readOnly(let path), .untrusted(let path, _), .full(let path), .locked(let path),
      .corrupt(let path, _), .moved(let path),
      .closed(let path), .unsuitableSchema(let path, _),
      .unsuitableQuery(let path, _),
      .unreadable(let path, _, _), .unknownType(let path, _), .snapshotEnded(let path), .snapshotExpired(let path),
      .io(let path, _, _):
      path
    }
  }
}

extension WorkspaceError: CustomStringConvertible {
  /// A one-line message for people to read: what happened, where, and what to do.
  public var description: String {
    switch self {
    case .cannotCreate(let path, let reason):
      "cannot create a workspace at \(path): \(reason). Choose a directory that you can write to."
    case .notAWorkspace(let path, let reason):
      "\(path) is not a workspace: \(reason)."
    case .newerSchema(let path, let found, let known):
      "\(path) was written by a newer version (schema \(found), this version knows \(known)). "
        + "Nothing was changed; use the newer version, or another workspace."
    case .notPermitted(let path):
      "cannot open \(path): permission denied. Make it accessible to you (`chmod u+rwX`), or choose another workspace."
    case .readOnly(let path):
      "cannot write to \(path): it is read-only. Check its permissions, or choose another workspace."
    case .untrusted(let path, let reason):
      "refusing to write to \(path): \(reason). It can still be read; to write, fix this or choose another workspace."
    case .full(let path):
      "cannot write to \(path): the disk or quota is full. Everything recorded before is safe; free some space and try again."
    case .locked(let path):
      "cannot write to \(path): " + Self.holder(of: path)
    case .corrupt(let path, let message):
      "\(path) is damaged (\(message)). Move it away, together with its -wal and -shm files, and start a new workspace."
    case .moved(let path):
      "\(path), or the -wal or -shm file beside it, was moved, deleted or replaced while it was in use; the records are in the original file. Restore that file, or start a new workspace."
    case .closed(let path):
      "\(path) has been closed."
    case .unsuitableSchema(let path, let reason):
      "cannot store objects in \(path): \(reason)."
    case .unsuitableQuery(let path, let reason):
      "cannot query \(path): \(reason)."
    case .unreadable(let path, let field, let value):
      "cannot read \(field) in \(path): \(value) is not a valid value. Another version may have written it; use that version, or correct the value."
    case .unknownType(let path, let type):
      "\(type) is not stored in \(path). Add it to the objects of the schema with which the workspace is opened."
    case .snapshotEnded(let path):
      "a snapshot of \(path) was used after its end. Fetch everything before the closure returns."
    case .snapshotExpired(let path):
      "a snapshot of \(path) was ended because 64 MiB were written while it was open. Take a new one and do less in it."
    case .io(let path, let code, let message):
      "cannot use \(path) (error \(code)): \(message)."
    }
  }
}
