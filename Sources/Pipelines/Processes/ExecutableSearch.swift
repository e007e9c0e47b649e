import Glibc

/// Finds programs the way a shell does, in the `PATH` that the process itself will have.
final class ExecutableSearch {
  private struct Key: Hashable {
    var name: String
    var path: String
  }

  private var found: [Key: CString] = [:]

  /// The path of `name`, or nil when no directory of `path` holds an executable of that name. A name with a slash is taken as it is.
  func locate(_ name: String, path: String?) -> CString? {
    let path = path ?? "/usr/local/bin:/usr/bin:/bin"
    let key = Key(name: name, path: path)
    if let known = found[key] { return known }
    guard !name.utf8.contains(UInt8(ascii: "/")) else {
      let result = CString(name)
      found[key] = result
      return result
    }
    for directory in path.split(separator: ":", omittingEmptySubsequences: true) {
      let candidate = "\(directory)/\(name)"
      var status = stat()
      guard access(candidate, X_OK) == 0, stat(candidate, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      let result = CString(candidate)
      found[key] = result
      return result
    }
    return nil
  }
}
