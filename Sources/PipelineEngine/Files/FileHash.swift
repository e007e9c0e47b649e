import Crypto
import Glibc
import OperatingSystem

/// The hash of the files that match glob patterns, as returned by `hashFiles`.
enum FileHash {
  /// Returns the SHA-256 of the SHA-256 hashes of all matching files, in the order of their paths, or an empty string if no file matches.
  ///
  /// Patterns are those of glob(7), with `**` for any number of directories, relative to `directory`. A pattern that begins with `!` excludes files.
  ///
  /// - Throws: ``EngineError`` if a file cannot be read, or if `isCancelled` returns true between two pieces.
  static func hash(
    patterns: [String], in directory: String, isCancelled: () -> Bool = { false }
  ) throws(EngineError) -> String {
    let failures = LookFailures.count
    var selected: Set<String> = []
    for pattern in patterns {
      if pattern.hasPrefix("!") {
        let wanted = String(pattern.dropFirst())
        selected = selected.filter { !matches(relative($0, to: directory), wanted) }
      } else if pattern.contains("**") {
        let root = pattern.hasPrefix("/") ? "/" : directory
        for path in files(under: root, isCancelled)
        where matches(relative(path, to: root), pattern.hasPrefix("/") ? String(pattern.dropFirst()) : pattern) {
          selected.insert(path)
        }
      } else {
        selected.formUnion(expand(pattern.hasPrefix("/") ? pattern : "\(directory)/\(pattern)"))
      }
    }
    // A file missed for lack of a descriptor would change the hash.
    guard LookFailures.count == failures else { throw .file(directory, EMFILE) }
    guard !selected.isEmpty else { return "" }
    var whole = SHA256()
    for path in selected.sorted() { whole.update(data: try digest(of: path, isCancelled)) }
    return whole.finalize().map { byte in hex[Int(byte >> 4)] + hex[Int(byte & 15)] }.joined()
  }

  private static let hex = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"]

  private static func digest(of path: String, _ isCancelled: () -> Bool) throws(EngineError) -> [UInt8] {
    do throws(InputFileError) {
      let file = try InputFile(path)
      var hash = SHA256()
      while !isCancelled() {
        let piece = try file.prefix(256 << 10)
        if piece.isEmpty { return Array(hash.finalize()) }
        hash.update(data: piece)
      }
      throw .system(path: path, number: ECANCELED)
    } catch {
      if case .system(_, let number) = error { throw .file(path, number) }
      throw .file(path, EINVAL)
    }
  }

  private static func expand(_ pattern: String) -> [String] {
    var matches = glob_t()
    defer { globfree(&matches) }
    let status = glob(pattern, 0, { _, number in LookFailures.isShortage(number) ? 1 : 0 }, &matches)
    if status == GLOB_ABORTED || status == GLOB_NOSPACE { LookFailures.note() }
    guard status == 0 else { return [] }
    return (0..<Int(matches.gl_pathc)).compactMap { index in
      guard let path = matches.gl_pathv[index].map({ String(cString: $0) }), isFile(path) else { return nil }
      return path
    }
  }

  private static func files(under directory: String, _ isCancelled: () -> Bool) -> [String] {
    var result: [String] = []
    var open = [directory]
    while !isCancelled(), let next = open.popLast() {
      for name in DirectoryNames.of(next) {
        let path = next.hasSuffix("/") ? next + name : "\(next)/\(name)"
        var status = stat()
        // Symbolic links are not followed, so that the walk ends even if they form a cycle.
        guard lstat(path, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR {
          open.append(path)
        } else if status.st_mode & S_IFMT == S_IFREG {
          result.append(path)
        }
      }
    }
    return result
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func relative(_ path: String, to directory: String) -> String {
    let prefix = directory.hasSuffix("/") ? directory : directory + "/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }

  /// Whether `path` matches `pattern`, component by component; `**` matches any number of components.
  private static func matches(_ path: String, _ pattern: String) -> Bool {
    let path = path.split(separator: "/").map(String.init)
    let pattern = pattern.split(separator: "/").map(String.init)
    // reachable[i]: the first i components of the path match the pattern so far.
    var reachable = [Bool](repeating: false, count: path.count + 1)
    reachable[0] = true
    for component in pattern {
      var next = [Bool](repeating: false, count: path.count + 1)
      if component == "**" {
        var seen = false
        for index in reachable.indices {
          seen = seen || reachable[index]
          next[index] = seen
        }
      } else {
        for index in path.indices where reachable[index] && fnmatch(component, path[index], 0) == 0 {
          next[index + 1] = true
        }
      }
      reachable = next
    }
    return reachable[path.count]
  }
}
