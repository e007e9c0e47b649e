import Glibc

/// Finds programs the way a shell does, in the `PATH` that the process itself will have.
final class ExecutableSearch {
  private struct Key: Hashable {
    var name: String
    var path: String
  }

  private var found: [Key: CString] = [:]
  /// So many answers are kept; a `PATH` that each operation computes anew must not fill the memory of a host.
  private let capacity = 512

  /// The path of `name`, or nil when no directory of `path` holds an executable of that name. A name with a slash is taken as it is.
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
