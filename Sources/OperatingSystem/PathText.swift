import Glibc

/// Paths as text.
package enum PathText {
  /// The folder part of `path`, `.` where there is none.
  package static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// `path` as seen from the folder `directory`.
  package static func join(_ directory: String, _ path: String) -> String {
    if path.hasPrefix("/") || directory == "." { return path.hasPrefix("./") ? String(path.dropFirst(2)) : path }
    let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }

  /// Whether a path names an open descriptor, as shells spell `<(…)`: `/dev/fd/63`, in zsh `/proc/self/fd/11`.
  package static func isDescriptor(_ path: String) -> Bool {
    let folder = directory(of: path)
    return folder == "/dev/fd" || folder == "/proc/self/fd"
  }

  /// The absolute path of what is at `path`, links followed; where there is nothing, that of the folders which are there with
  /// the rest behind it, so that a file that is gone has the path that it had.
  package static func absolute(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    // Longer ones name nothing on Linux.
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
