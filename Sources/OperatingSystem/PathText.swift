import Glibc

/// Operations on paths as text.
package enum PathText {
  /// Returns the directory part of `path`; `.` if there is none.
  package static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns `path`, resolved against the folder `directory`.
  package static func join(_ directory: String, _ path: String) -> String {
    if path.hasPrefix("/") || directory == "." { return path.hasPrefix("./") ? String(path.dropFirst(2)) : path }
    let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }

  /// Returns whether a path names an open descriptor, as shells write `<(…)`: `/dev/fd/63`, or `/proc/self/fd/11` in zsh.
  package static func isDescriptor(_ path: String) -> Bool {
    let folder = directory(of: path)
    return folder == "/dev/fd" || folder == "/proc/self/fd"
  }

  /// Returns `path` resolved against the current directory; symbolic links in it are kept.
  package static func rooted(_ path: String) -> String {
    guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return join(String(cString: current), path)
  }

  /// Returns the absolute path of the file at `path`, with symbolic links resolved. If it does not exist, only its existing folders are resolved, so that
  /// a deleted file keeps the path it had.
  package static func absolute(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    // Longer paths are invalid on Linux.
    guard path.utf8.count < 4096 else { return path }
    guard path.hasPrefix("/") else {
      guard let current = getcwd(nil, 0) else { return path }
      defer { free(current) }
      return absolute(join(String(cString: current), path))
    }
    guard path != "/" else { return path }
    let folder = absolute(directory(of: path))
    switch path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...] {
    case "", ".": return folder
    case "..": return directory(of: folder)
    case let name: return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
  }
}
