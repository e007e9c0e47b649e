import Glibc
import OperatingSystem

/// The name of a file of a run as in records: `runs/<id>/<name>`, relative to the workspace.
///
/// Records come from the database, which others may have written: only such paths are ever opened for a name in it.
package struct RunFilePath: Sendable, Hashable, Comparable {
  /// The run whose directory it is in.
  package let run: RunID
  /// A plain name.
  package let name: String

  /// Parses a path; nil if it is not that of a file of a run.
  package init?(_ recorded: String) {
    let parts = recorded.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "runs", let run = RunID(parts[1]), run.text == parts[1],
      !parts[2].isEmpty, !parts[2].hasPrefix("."), parts[2].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    self.run = run
    name = String(parts[2])
  }

  /// Opens the regular file that a record refers to. No symbolic link below the workspace is followed.
  ///
  /// - Parameters:
  ///   - recorded: The recorded path.
  ///   - workspace: The directory of the workspace.
  /// - Returns: The open file.
  /// - Throws: ``InputFileError``, with `EINVAL` if the path is not that of a file of a run.
  package static func open(_ recorded: String, in workspace: String) throws(InputFileError) -> InputFile {
    guard let path = RunFilePath(recorded) else { throw .system(path: recorded, number: EINVAL) }
    return try path.open(in: workspace)
  }

  /// Opens the regular file. No symbolic link below the workspace is followed.
  package func open(in workspace: String) throws(InputFileError) -> InputFile {
    let runs = try Self.directory("\(workspace)/runs", AT_FDCWD)
    defer { close(runs) }
    let directory = try Self.directory(run.text, runs)
    defer { close(directory) }
    return try InputFile(name, in: directory, followsLink: false)
  }

  /// Returns the names in the directory of a run, or none if it cannot be read.
  package static func names(of run: RunID, in workspace: String) -> [String] {
    guard let runs = try? directory("\(workspace)/runs", AT_FDCWD) else { return [] }
    defer { close(runs) }
    guard let directory = try? directory(run.text, runs) else { return [] }
    defer { close(directory) }
    return DirectoryNames.of(descriptor: directory)
  }

  package static func < (left: RunFilePath, right: RunFilePath) -> Bool {
    (left.run, left.name) < (right.run, right.name)
  }

  private static func directory(_ path: String, _ parent: Int32) throws(InputFileError) -> Int32 {
    let descriptor = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path: path, number: errno) }
    return descriptor
  }
}
