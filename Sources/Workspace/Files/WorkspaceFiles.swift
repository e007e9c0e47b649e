import CLibSQLite
import Glibc
import OperatingSystem
import SQLite

/// The files of a workspace: where they are, how they are created, who may use them.
struct WorkspaceFiles {
  /// Absolute, without a slash at the end.
  let directory: String
  /// How long a connection waits for another process before it gives up, in seconds.
  let patience: Double
  /// What a flush to the disk waits for.
  let durability: Durability

  var database: String { directory + "/workspace.db" }
  var lock: String { "\(directory)/\(WriteLock.name)" }

  init(
    directory: String, patience: Double = ConnectionSettings.patience, durability: Durability = .powerLoss
  ) {
    self.patience = patience
    self.durability = durability
    var absolute = directory
    if !absolute.hasPrefix("/"), let current = getcwd(nil, 0) {
      absolute = String(cString: current) + "/" + absolute
      free(current)
    }
    while absolute.count > 1 && absolute.hasSuffix("/") { absolute.removeLast() }
    self.directory = absolute
  }

  /// Whether there is a database. Throws where that cannot be told, because a directory may not be entered.
  func exists() throws(WorkspaceError) -> Bool {
    if permits(database, F_OK) { return true }
    guard errno == EACCES else { return false }
    throw .notPermitted(path: Self.forbidden(database: database) ?? directory)
  }

  /// The first of the directories above a database that may not be entered; else the one of its files that may not be read. Nil if there is none.
  static func forbidden(database: String) -> String? {
    func isDenied(_ path: String, _ mode: Int32) -> Bool {
      faccessat(AT_FDCWD, path, mode, AT_EACCESS) != 0 && errno == EACCES
    }
    // What is in a directory that may not be entered is denied as well; so the first one is the one to name.
    var directory = ""
    for part in database.split(separator: "/").dropLast() {
      directory += "/\(part)"
      if isDenied(directory, X_OK) { return directory }
    }
    return ["", "-wal", "-shm"].map { database + $0 }.first { isDenied($0, R_OK) }
  }

  /// Refuses what is not a regular file in the place of the database or of what SQLite keeps beside it: whoever opens a FIFO waits, and SQLite creates
  /// what a link names, in another directory, without the locks of this one.
  func requireRegularFiles() throws(WorkspaceError) {
    var status = stat()
    for suffix in ["", "-wal", "-shm", "-journal"] where lstat(database + suffix, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFREG else { continue }
      throw .notAWorkspace(path: directory, reason: "workspace.db\(suffix) is not a regular file")
    }
  }

  /// Refuses a workspace of another user, who could change at any time what this one does.
  func requireOwn(_ folders: [String]) throws(WorkspaceError) {
    if let (path, reason) = foreign(folders).first { throw .untrusted(path: path, reason: reason) }
  }

  /// What another user could change, and why: the directory, the database, and these folders, which may not be links either.
  func foreign(_ folders: [String]) -> [(path: String, reason: String)] {
    var status = stat()
    let user = geteuid()
    var found: [(path: String, reason: String)] = []
    func look(_ path: String) {
      guard status.st_uid != user else { return }
      found.append((path, "it belongs to user \(status.st_uid), and you are user \(user)"))
    }
    for path in [directory, database] where stat(path, &status) == 0 { look(path) }
    for path in folders.map({ "\(directory)/\($0)" }) where lstat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { look(path) } else { found.append((path, "it is not a directory")) }
    }
    return found
  }

  /// How many bytes the file of the write-ahead log has.
  var logLength: Int {
    var status = stat()
    return stat(database + "-wal", &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether there is the file of the lock, as there is beside every database that a workspace has written to.
  var hasLock: Bool { permits(lock, F_OK) }

  /// Whether this process may change the database; the directory counts, because SQLite keeps its log beside the file.
  var isWritable: Bool { permits(database, W_OK) && permits(directory, W_OK | X_OK) }

  private func permits(_ path: String, _ mode: Int32) -> Bool {
    // The effective user opens files, so the effective user is asked.
    faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
  }

  /// Creates the directory and the database as far as they are missing.
  ///
  /// A workspace that exists and may not be written is left alone.
  ///
  /// - Parameters:
  ///   - template: What a new database is a copy of; nil for an empty one.
  ///   - folders: Must be the user's own, see ``requireOwn(_:)``; nil where the owner does not matter.
  /// - Returns: Whether the database is new: empty, or a copy of the template.
  /// - Throws: ``WorkspaceError`` where something cannot be created, or belongs to somebody else.
  func createMissing(from template: WorkspaceTemplate?, guarding folders: [String]?) throws(WorkspaceError) -> Bool {
    if try exists() { return false }
    // Somebody else may have made the directory, and what is in it.
    if let folders { try requireOwn(folders) }
    let parents = try createDirectory(directory)
    let isCopied =
      try template?.bytes.map { bytes throws(WorkspaceError) in
        try createDatabase(bytes, in: parents)
      } ?? false
    if !isCopied { try makeDurable(parents) }
    return isCopied ? true : try createFile(database)
  }

  /// Checks, without changing anything, that ``createMissing(from:guarding:)`` may create the workspace, as far as permissions tell.
  func requireCreatable(guarding folders: [String]?) throws(WorkspaceError) {
    if let folders { try requireOwn(folders) }
    var path = directory[...]
    // The nearest directory that exists is the one in which the next name is created.
    while path.count > 1, access(String(path), F_OK) != 0, let slash = path.lastIndex(of: "/") {
      path = slash == path.startIndex ? "/" : path[..<slash]
    }
    var status = stat()
    guard stat(String(path), &status) == 0 else { throw creationError(errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw creationError(ENOTDIR) }
    guard access(String(path), W_OK | X_OK) == 0 else { throw creationError(errno) }
  }

  /// Creates a directory and those above it, as far as they are missing. Returns the directories whose names for them may not be on the disk yet, the parent of
  /// `path` always: it may have been made a moment ago, by somebody else.
  private func createDirectory(_ path: String) throws(WorkspaceError) -> [String] {
    guard let slash = path.lastIndex(of: "/"), path != "/" else { return [] }
    let parent = slash == path.startIndex ? "/" : String(path[..<slash])
    if access(path, F_OK) == 0 { return [parent] }
    let above = access(parent, F_OK) == 0 ? [] : try createDirectory(parent)
    if mkdir(path, 0o700) == 0 {
      // A file mask such as 0177 leaves a directory that its owner cannot enter.
      chmod(path, 0o700)
    } else if errno != EEXIST {
      throw creationError(errno)
    }
    return above + [parent]
  }

  /// Why the workspace cannot be created, by the number of the system's error.
  private func creationError(_ code: Int32) -> WorkspaceError {
    code == ENOSPC || code == EDQUOT
      ? .full(path: database) : .cannotCreate(path: directory, reason: SystemError.textWithAdvice(of: code))
  }

  /// Makes the names in these directories survive a power loss. What a later flush promises could not be found without them.
  private func makeDurable(_ directories: [String]) throws(WorkspaceError) {
    guard durability == .powerLoss else { return }
    for directory in directories {
      guard Self.flushNames(in: directory) else {
        throw creationError(errno)
      }
    }
  }

  /// Waits until the names in a directory are on the disk. Returns false, with `errno` set, where the disk fails; a directory that may not be read, and a file
  /// system that has no such thing, are no failures.
  private static func flushNames(in directory: String) -> Bool {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == EACCES || errno == EPERM }
    let isDone = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP
    let code = errno
    close(descriptor)
    errno = code
    return isDone
  }

  /// Creates the database with these bytes: with all of them, on the disk, or not at all, so that nobody ever finds a part of them. It has no name until then,
  /// and nothing is left of it if the process is killed.
  ///
  /// False where that does not succeed: a file system may not know files without names, another process may have been faster, and what is wrong with a full
  /// disk is said by whoever creates the file in the ordinary way next. Nor where a log has been left of a database that is gone: SQLite ignores it beside an
  /// empty file, and would write it into any other.
  ///
  /// It gets its name when `parents` have theirs on the disk: a file system with a journal has just written them together with the bytes.
  private func createDatabase(_ bytes: [UInt8], in parents: [String]) throws(WorkspaceError) -> Bool {
    // O_TMPFILE, a macro that Swift does not import.
    let unnamed = 0o20_000_000 | O_DIRECTORY
    let descriptor = open(directory, unnamed | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard
      fchmod(descriptor, 0o600) == 0 && write(descriptor, bytes, bytes.count) == bytes.count
        && fdatasync(descriptor) == 0
    else { return false }
    try makeDurable(parents)
    return !["-wal", "-journal"].contains { permits(database + $0, F_OK) }
      && linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, database, AT_SYMLINK_FOLLOW) == 0
  }

  /// SQLite gives its -wal and -shm files the mode of the database file, so the mode is set here once, whatever the umask.
  private func createFile(_ path: String) throws(WorkspaceError) -> Bool {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw creationError(errno)
    }
    fchmod(descriptor, 0o600)
    close(descriptor)
    return true
  }

  /// Opens a connection that cannot write.
  func openReader() throws -> DatabaseQueue {
    let configuration = ConnectionSettings.reader(patience: patience)
    do {
      return try DatabaseQueue(path: database, configuration: configuration)
    } catch let error as DatabaseError {
      guard error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_READONLY, let name = unchanging else {
        throw error
      }
      return try DatabaseQueue(path: name, configuration: configuration)
    }
  }

  /// The name by which SQLite opens the database as a file that nobody changes, or nil where that may not be said.
  ///
  /// In a read-only directory SQLite cannot create its shared memory, which it needs even to read. A database without a log
  /// can be read all the same: this process could not change it, and any other would leave a log.
  var unchanging: String? {
    var status = stat()
    let hasLog = stat(database + "-wal", &status) == 0 && status.st_size > 0
    return isWritable || hasLog ? nil : "file:\(Self.escaped(database))?immutable=1"
  }

  static func unchanging(database: String) -> String? {
    guard let slash = database.lastIndex(of: "/") else { return nil }
    return WorkspaceFiles(directory: String(database[..<slash])).unchanging
  }

  private static func escaped(_ path: String) -> String {
    path.reduce(into: "") { text, character in
      switch character {
      case "%": text += "%25"
      case "?": text += "%3f"
      case "#": text += "%23"
      default: text.append(character)
      }
    }
  }
}

extension Database {
  /// The directory of the workspace that the connection is open to; empty for a database without a file.
  package var workspaceDirectory: String {
    guard let path = sqlite3_db_filename(sqliteConnection, "main").map({ String(cString: $0) }) else { return "" }
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}
