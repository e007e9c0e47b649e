import Glibc

/// Finds programs as a shell does, in the `PATH` of the process to be started.
final class ExecutableSearch {
  private struct Key: Hashable {
    var name: String
    var path: String
  }

  private var found: [Key: CString] = [:]
  /// The maximum number of cached results, so that a `PATH` computed anew by each operation does not fill the host's memory.
  private let capacity = 512

  /// Returns the path of `name`, or nil if no directory of `path` contains an executable of that name. A name with a slash is used unchanged.
  func locate(_ name: String, path: String?) -> CString? {
    guard !name.utf8.contains(UInt8(ascii: "/")) else { return CString(name) }
    let path = path ?? "/usr/local/bin:/usr/bin:/bin"
    let key = Key(name: name, path: path)
    if let known = found[key] { return known }
    for directory in path.split(separator: ":", omittingEmptySubsequences: true) {
      let candidate = "\(directory)/\(name)"
      var status = stat()
      guard access(candidate, X_OK) == 0, stat(candidate, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      let result = CString(candidate)
      if found.count >= capacity { found.removeAll() }
      found[key] = result
      return result
    }
    return nil
  }
}
