import Glibc

/// The directory `runs` of a workspace, which contains the files of all runs.
package enum RunsDirectory {
  /// Returns its path in the workspace at `directory`.
  package static func path(in directory: String) -> String { "\(directory)/runs" }

  /// Returns the error number that says why nothing can be written there, or nil if something can be, or if it does not exist yet. A link in its
  /// place is not followed, because it would lead out of the workspace.
  package static func errorNumber(in directory: String) -> Int32? {
    let path = path(in: directory)
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT ? nil : errno }
    guard status.st_mode & S_IFMT == S_IFDIR else { return ENOTDIR }
    return access(path, W_OK | X_OK) == 0 ? nil : errno
  }
}
