import CProcess
import Glibc
import OperatingSystem
import Values
import Workspace

/// Replaces a damaged database by a sound one, and keeps the damaged one under another name.
struct DatabaseReplacement {
  /// Why nothing was replaced.
  enum Failure: Error, CustomStringConvertible {
    /// Another process has the database open.
    case inUse(pid: Int32)
    /// The operating system refused a step.
    case system(String, Int32)

    var description: String {
      switch self {
      case .inUse(let pid): "process \(pid) has the database open; end it and try again"
      case .system(let what, let code): "\(what): \(SystemError.text(of: code))"
      }
    }
  }

  /// The absolute path of the workspace.
  let workspace: String
  private var database: String { workspace + "/workspace.db" }

  /// Saves what can be read into a new database, and exchanges the two. Returns what was saved, and the new name of the damaged one.
  ///
  /// The damaged files are only renamed, so nothing is lost. If any step before that fails, nothing is changed.
  func run(at time: RecordTime = .now) throws -> (saved: HistorySalvage.Report, aside: String) {
    let failures = LookFailures.count
    if let pid = OpenFiles.user(of: database) { throw Failure.inUse(pid: pid) }
    guard LookFailures.count == failures else {
      throw Failure.system("cannot search for processes that use \(database)", EMFILE)
    }
    let lock = try OwnFile.open("workspace.lock", in: workspace, O_RDWR | O_CREAT)
    defer { close(lock) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure.system("\(workspace)/workspace.lock cannot be locked", errno)
    }
    let place = workspace + "/repair-\(getpid())"
    // An existing entry may lead to another workspace.
    guard mkdir(place, 0o700) == 0 else { throw Failure.system("\(place) cannot be created", errno) }
    defer { Self.remove(place) }
    let saved = try salvage(into: place)
    let stamp = time.text.prefix(19).replacing(":", with: "")
    let aside = database + ".damaged-\(stamp)Z"
    // The log first: beside another database it would be taken for that database's log.
    for suffix in ["-wal", "-shm"] where access(database + suffix, F_OK) == 0 {
      guard rename(database + suffix, aside + suffix) == 0 else {
        throw Failure.system("\(database)\(suffix) cannot be renamed", errno)
      }
    }
    guard link(database, aside) == 0 else { throw Failure.system("\(aside) cannot be created", errno) }
    guard rename(place + "/copy.db", database) == 0 else {
      throw Failure.system("\(database) cannot be replaced", errno)
    }
    return (saved, aside)
  }

  private func salvage(into place: String) throws -> HistorySalvage.Report {
    let target = try History.open(at: place, mode: .readWrite)
    defer { target.workspace.close() }
    let report = try HistorySalvage(path: database, target: target).run()
    // A backup has no log.
    try target.workspace.backup(to: place + "/copy.db")
    return report
  }

  /// Removes the directory of the repair, whose files have known names.
  private static func remove(_ place: String) {
    for name in [
      "workspace.db", "workspace.db-wal", "workspace.db-shm", "workspace.lock", "workspace.hosts", "copy.db",
    ] {
      unlink("\(place)/\(name)")
    }
    rmdir(place)
  }
}

/// Determines which processes have a file open, as far as this user's permissions allow.
enum OpenFiles {
  /// Returns another process that has the file open, or nil if there is none.
  ///
  /// A process that another thread of this process has just started has the same files open until it executes its program; this waits for that.
  static func user(of path: String) -> Int32? {
    for _ in 0..<100 {
      guard let pid = holder(of: path) else { return nil }
      guard ProcessTable.parent(of: pid) == getpid() else { return pid }
      usleep(10_000)
    }
    return holder(of: path)
  }

  private static func holder(of path: String) -> Int32? {
    guard let wanted = identity(path) else { return nil }
    if let pid = lockHolder(of: path + "-shm") { return pid }
    for pid in ProcessTable.all() where pid != getpid() {
      for descriptor in DirectoryNames.of("/proc/\(pid)/fd") where identity("/proc/\(pid)/fd/\(descriptor)") == wanted {
        return pid
      }
    }
    return nil
  }

  /// Returns another process that has locked a part of the file, as every user of a database does with its index: only the superuser can see the
  /// descriptors of a host that runs plugins in their own processes.
  static func lockHolder(of path: String) -> Int32? {
    var status = stat()
    guard stat(path, &status) == 0, let bytes = ProcessTable.read("/proc/locks", limit: 8 << 20) else { return nil }
    let locks = String(decoding: bytes, as: UTF8.self)
    // `1: POSIX  ADVISORY  READ 4242 fe:01:1234567 128 128`
    for line in locks.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 5, let pid = Int32(fields[4]), pid > 0, pid != getpid() else { continue }
      let place = fields[5].split(separator: ":")
      guard place.count == 3, UInt64(place[2]) == UInt64(status.st_ino), let major = UInt32(place[0], radix: 16),
        let minor = UInt32(place[1], radix: 16), penstock_device(major, minor) == UInt64(status.st_dev)
      else { continue }
      return pid
    }
    return nil
  }

  private struct Identity: Equatable {
    var device: UInt
    var inode: UInt
  }

  private static func identity(_ path: String) -> Identity? {
    var status = stat()
    return stat(path, &status) == 0 ? Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino)) : nil
  }
}
