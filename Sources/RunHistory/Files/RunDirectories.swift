import Glibc
import OperatingSystem

/// The directories of runs in a workspace, with their logs and large results: `runs/<id>`.
package struct RunDirectories {
  /// The outcome of removing directories.
  package struct Removal: Sendable {
    /// How many were removed.
    package var removed = 0
    /// The total size of their files in bytes.
    package var bytes: Int64 = 0
    /// What could not be removed, with the operating system's reason.
    package var failures: [String] = []

    package init() {}

    /// Adds the counts of another removal.
    package mutating func add(_ other: Self) {
      removed += other.removed
      bytes += other.bytes
      failures += other.failures
    }
  }

  /// The absolute path of the workspace.
  let workspace: String

  package init(workspace: String) {
    self.workspace = workspace
  }

  /// Removes the directories of exactly these runs.
  ///
  /// Paths are never concatenated: each component is opened from its parent by a validated id, and no symbolic link is followed, so that nothing
  /// outside the workspace can be reached whatever a file in it has been replaced by.
  package func remove(_ runs: [RunID]) -> Removal {
    var removal = Removal()
    let root = open(workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard root >= 0 else {
      removal.failures.append("\(workspace): \(SystemError.text(of: errno))")
      return removal
    }
    defer { close(root) }
    let directory = openat(root, "runs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    // No run has written anything yet.
    guard directory >= 0 else { return removal }
    defer { close(directory) }
    for run in runs { Self.remove(run.text, in: directory, depth: 0, into: &removal) }
    return removal
  }

  /// Removes the result files in the directory of a run, except those with the given names. Returns how many there were.
  func removeResults(of run: RunID, except kept: Set<String>) -> Int {
    let runs = open("\(workspace)/runs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard runs >= 0 else { return 0 }
    defer { close(runs) }
    let directory = openat(runs, run.text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard directory >= 0 else { return 0 }
    defer { close(directory) }
    var count = 0
    var removal = Removal()
    for name in DirectoryNames.of(descriptor: directory) where ResultFileName.isResult(name) && !kept.contains(name) {
      if unlinkat(directory, name, 0) != 0, errno == EISDIR {
        Self.remove(name, in: directory, depth: 1, top: directory, into: &removal)
      }
      count += 1
    }
    return count
  }

  /// Returns the runs that have a directory, in order.
  package func all() -> [RunID] {
    let directory = open("\(workspace)/runs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard directory >= 0 else { return [] }
    defer { close(directory) }
    return DirectoryNames.of(descriptor: directory).compactMap { name in
      RunID(name).flatMap { $0.text == name ? $0 : nil }
    }
    .sorted()
  }

  /// Returns the total size of the files of these runs, in bytes.
  package func size(of runs: [RunID]) -> Int64 {
    runs.reduce(0) { $0 + Self.size(of: "\(workspace)/runs/\($1.text)") }
  }

  /// Each level needs a descriptor. The directories of processes in the folder of their run may nest deeper, and are moved up before they are removed.
  private static let deepest = 16

  private static func remove(
    _ name: String, in parent: Int32, depth: Int, top: Int32? = nil, into removal: inout Removal
  ) {
    var descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    // A directory whose permissions a process has removed, although its user still owns it.
    if descriptor < 0, errno == EACCES, depth > 0, fchmodat(parent, name, 0o700, AT_SYMLINK_NOFOLLOW) == 0 {
      descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    guard descriptor >= 0 else {
      if errno != ENOENT { removal.failures.append("\(name): \(SystemError.text(of: errno))") }
      return
    }
    if depth > 0 { fchmod(descriptor, 0o700) }
    for entry in DirectoryNames.of(descriptor: descriptor) {
      var status = stat()
      guard fstatat(descriptor, entry, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        if depth >= deepest, let top {
          moveUp(entry, from: descriptor, to: top, &removal)
        } else {
          remove(entry, in: descriptor, depth: depth + 1, top: top ?? descriptor, into: &removal)
        }
      } else if unlinkat(descriptor, entry, 0) == 0 {
        if status.st_mode & S_IFMT == S_IFREG { removal.bytes += Int64(status.st_size) }
      } else {
        removal.failures.append("\(entry): \(SystemError.text(of: errno))")
      }
    }
    if depth == 0 {
      // Until nothing more has been moved up.
      while let moved = DirectoryNames.of(descriptor: descriptor).first(where: { $0.hasPrefix(moved) }) {
        let failures = removal.failures.count
        remove(moved, in: descriptor, depth: 1, top: descriptor, into: &removal)
        if removal.failures.count > failures { break }
      }
    }
    close(descriptor)
    if unlinkat(parent, name, AT_REMOVEDIR) == 0 {
      if depth == 0 { removal.removed += 1 }
    } else if errno != ENOENT {
      removal.failures.append("\(name): \(SystemError.text(of: errno))")
    }
  }

  /// The prefix of directories that were moved up. No file of a run begins with it.
  private static let moved = ".moved-"

  private static func moveUp(_ name: String, from folder: Int32, to top: Int32, _ removal: inout Removal) {
    for number in 0... {
      let place = "\(moved)\(number)"
      guard faccessat(top, place, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else { continue }
      if renameat(folder, name, top, place) != 0 {
        removal.failures.append("\(name): \(SystemError.text(of: errno))")
      }
      return
    }
  }

  private static func size(of path: String) -> Int64 {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    return DirectoryNames.of(descriptor: descriptor).reduce(0) { total, entry in
      var status = stat()
      guard fstatat(descriptor, entry, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return total }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: return total + size(of: path + "/" + entry)
      case S_IFREG: return total + Int64(status.st_size)
      default: return total
      }
    }
  }
}
