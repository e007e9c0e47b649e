import CLibSQLite
import Glibc
import OperatingSystem
import SQLite

/// The files of a workspace: their paths, their creation and their permissions.
struct WorkspaceFiles {
  /// The absolute path, without a trailing slash.
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

  /// Returns whether there is a database. Throws if a directory that may not be entered prevents finding out.
  func exists() throws(WorkspaceError) -> Bool {
    if permits(database, F_OK) { return true }
    guard errno == EACCES else { return false }
    throw .notPermitted(path: Self.forbidden(database: database) ?? directory)
  }

  /// Returns the first directory above a database that may not be entered, or else the first of its files that may not be read; nil if there is none.
  static func forbidden(database: String) -> String? {
    func isDenied(_ path: String, _ mode: Int32) -> Bool {
      faccessat(AT_FDCWD, path, mode, AT_EACCESS) != 0 && errno == EACCES
    }
    // Everything inside a directory that may not be entered is denied too, so the first one is reported.
    var directory = ""
    for part in database.split(separator: "/").dropLast() {
      directory += "/\(part)"
      if isDenied(directory, X_OK) { return directory }
    }
    return ["", "-wal", "-shm"].map { database + $0 }.first { isDenied($0, R_OK) }
  }

  /// Refuses anything but regular files in place of the database and the files that SQLite keeps beside it: opening a FIFO blocks, and through a link
  /// SQLite would create a file in another directory, without the locks of this one.
  func requireRegularFiles() throws(WorkspaceError) {
    var status = stat()
    for suffix in ["", "-wal", "-shm", "-journal"] where lstat(database + suffix, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFREG else { continue }
      throw .notAWorkspace(path: directory, reason: "workspace.db\(suffix) is not a regular file")
    }
  }

  /// Refuses a workspace of another user, who could interfere with this process at any time.
  func requireOwn(_ folders: [String]) throws(WorkspaceError) {
    if let (path, reason) = foreign(folders).first { throw .untrusted(path: path, reason: reason) }
  }

  /// Returns what another user could change, and why: the directory, the database, and these folders, which must not be links either.
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

  /// The size of the write-ahead log in bytes.
  var logLength: Int {
    var status = stat()
    return stat(database + "-wal", &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether the lock file exists, as it does beside every database that a workspace has written to.
  var hasLock: Bool { permits(lock, F_OK) }

  /// Whether this process may change the database. The directory must be writable too, because SQLite keeps its log beside the file.
  var isWritable: Bool { permits(database, W_OK) && permits(directory, W_OK | X_OK) }

  private func permits(_ path: String, _ mode: Int32) -> Bool {
    // Files are opened as the effective user, so that user is checked.
    faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
  }

  /// Creates the directory and the database if they are missing.
  ///
  /// An existing workspace that may not be written is left unchanged.
  ///
  /// - Parameters:
  ///   - template: The template for a new database; nil for an empty one.
  ///   - folders: Folders that must belong to the user, see ``requireOwn(_:)``; nil if the owner does not matter.
  /// - Returns: Whether the database is new: empty, or a copy of the template.
  /// - Throws: ``WorkspaceError`` if something cannot be created, or belongs to another user.
  func createMissing(from template: WorkspaceTemplate?, guarding folders: [String]?) throws(WorkspaceError) -> Bool {
    if try exists() { return false }
    // Another user may have created the directory and its contents.
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

  /// Creates a directory and its missing parents. Returns the directories whose entries for them may not be on disk yet, always including the parent of
  /// `path`: another process may have created it a moment ago.
  private func createDirectory(_ path: String) throws(WorkspaceError) -> [String] {
    guard let slash = path.lastIndex(of: "/"), path != "/" else { return [] }
    let parent = slash == path.startIndex ? "/" : String(path[..<slash])
    if access(path, F_OK) == 0 { return [parent] }
    let above = access(parent, F_OK) == 0 ? [] : try createDirectory(parent)
    if mkdir(path, 0o700) == 0 {
      // With a umask such as 0177, the owner could not enter the directory.
      chmod(path, 0o700)
    } else if errno != EEXIST {
      throw creationError(errno)
    }
    return above + [parent]
  }

  /// Returns the error for a workspace that cannot be created, from an errno.
  private func creationError(_ code: Int32) -> WorkspaceError {
    code == ENOSPC || code == EDQUOT
      ? .full(path: database) : .cannotCreate(path: directory, reason: SystemError.textWithAdvice(of: code))
  }

  /// Syncs the entries of these directories, so that they survive a power loss. Otherwise, data from a later flush could not be found.
  private func makeDurable(_ directories: [String]) throws(WorkspaceError) {
    guard durability == .powerLoss else { return }
    for directory in directories {
      guard Self.flushNames(in: directory) else {
        throw creationError(errno)
      }
    }
  }

  /// Waits until the entries of a directory are on disk. Returns false, with `errno` set, if the disk fails; a directory that may not be read, or a file
  /// system that does not support this, is not a failure.
  private static func flushNames(in directory: String) -> Bool {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == EACCES || errno == EPERM }
    let isDone = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP
    let code = errno
    close(descriptor)
    errno = code
    return isDone
  }

  /// Creates the database with these bytes: all of them, on disk, or not at all, so that no process ever sees a part. The file has no name until then, and
  /// disappears if the process is killed.
  ///
  /// Returns false if that fails: the file system may not support files without names, another process may have been faster, and a full disk is reported
  /// when the file is created in the ordinary way next. Also returns false if the log of a deleted database is left: SQLite ignores it beside an empty
  /// file, but would write it into any other.
  ///
  /// The file is named after `parents` are on disk: a file system with a journal has just written them together with the bytes.
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

  /// SQLite gives its -wal and -shm files the mode of the database file, so the mode is set once here, regardless of the umask.
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

  /// Opens a read-only connection.
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

  /// The name with which SQLite opens the database as immutable, or nil if that is not allowed.
  ///
  /// In a read-only directory SQLite cannot create its shared memory, which it needs even for reading. A database without a log can be read nevertheless:
  /// this process cannot change it, and any other would leave a log.
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
  /// The directory of the workspace that the connection has open; empty for a database without a file.
  package var workspaceDirectory: String {
    guard let path = sqlite3_db_filename(sqliteConnection, "main").map({ String(cString: $0) }) else { return "" }
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}
