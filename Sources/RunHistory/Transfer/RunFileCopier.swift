import Glibc
import OperatingSystem

/// Copies logs and large results of runs from one workspace to another.
///
/// Paths are those that ``ImportedRun`` has checked: `runs/<id>/<name>`. No symbolic link is followed, and existing files are kept.
struct RunFileCopier {
  /// The directory of the workspace to copy from.
  let source: String
  /// The directory of the workspace to copy to.
  let target: String

  /// Copies the files that exist only in the source. Returns their number.
  func copy(_ paths: [String]) throws(RunFileError) -> Int {
    var copied = 0
    for path in paths where try copy(path) { copied += 1 }
    return copied
  }

  /// Copies the log indexes of a run, which its records do not refer to.
  func copyIndexes(of run: RunID) throws(RunFileError) {
    for name in RunFilePath.names(of: run, in: source) where LogIndexCoding.isIndex(name) {
      _ = try copy("runs/\(run.text)/\(name)")
    }
  }

  private func copy(_ path: String) throws(RunFileError) -> Bool {
    let parts = path.split(separator: "/").map(String.init)
    guard parts.count == 3, let from = directory(parts[1], of: source) else { return false }
    defer { close(from) }
    let file = openat(from, parts[2], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    mkdir("\(target)/runs", 0o700)
    mkdir("\(target)/runs/\(parts[1])", 0o700)
    guard let to = directory(parts[1], of: target) else {
      throw RunFileError(path: "\(target)/runs/\(parts[1])", number: errno)
    }
    defer { close(to) }
    guard faccessat(to, parts[2], F_OK, AT_SYMLINK_NOFOLLOW) != 0 else { return false }
    // Renamed only when it is complete, because an existing file is taken for the original.
    let unfinished = "." + parts[2] + ".copy"
    do throws(RunFileError) {
      try write(file, to: unfinished, in: to, path: "\(target)/\(path)")
    } catch {
      unlinkat(to, unfinished, 0)
      throw error
    }
    guard renameat(to, unfinished, to, parts[2]) == 0 else {
      throw RunFileError(path: "\(target)/\(path)", number: errno)
    }
    return true
  }

  private func write(_ file: Int32, to name: String, in directory: Int32, path: String) throws(RunFileError) {
    // What an interrupted copy has left, or a FIFO that was created there.
    unlinkat(directory, name, 0)
    let copy = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard copy >= 0 else { throw RunFileError(path: path, number: errno) }
    defer { close(copy) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = SystemCall.retrying { Glibc.read(file, &buffer, buffer.count) }
      if count == 0 { return }
      guard count > 0 else { throw RunFileError(path: path, number: errno) }
      do throws(SystemError) {
        try SystemCall.writeAll(buffer[..<count], to: copy)
      } catch {
        throw RunFileError(path: path, number: error.number)
      }
    }
  }

  private func directory(_ run: String, of workspace: String) -> Int32? {
    let runs = open("\(workspace)/runs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard runs >= 0 else { return nil }
    defer { close(runs) }
    let directory = openat(runs, run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    return directory >= 0 ? directory : nil
  }
}

/// A file of a run could not be copied into a workspace.
public struct RunFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file that could not be written.
  public let path: String
  /// The system's error number.
  public let number: Int32

  /// The file and the system's reason.
  public var description: String { "cannot write '\(path)': \(SystemError.text(of: number))" }
}
