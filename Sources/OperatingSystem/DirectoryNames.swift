import Glibc

/// Lists directories by name, in the system's order.
package enum DirectoryNames {
  /// Returns the names in the directory at `path`, without `.` and `..`; none if it cannot be read. ``LookFailures`` counts failures from lack of resources.
  package static func of(_ path: String) -> [String] { (try? names(in: opendir(path))) ?? [] }

  /// Returns all names in the directory at `path`, without `.` and `..`, or throws.
  package static func read(_ path: String) throws(SystemError) -> [String] { try names(in: opendir(path)) }

  /// Returns the names in an open directory, without `.` and `..`. The caller keeps its descriptor.
  package static func of(descriptor: Int32) -> [String] {
    // The stream takes ownership of the copy and closes it.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      LookFailures.note(errno)
      return []
    }
    // The copy shares its offset with the original, which may have been read before.
    lseek(copy, 0, SEEK_SET)
    let stream = fdopendir(copy)
    if stream == nil {
      let number = errno
      close(copy)
      errno = number
    }
    return (try? names(in: stream)) ?? []
  }

  /// An entry whose name is not UTF-8, so that no path as text leads to it.
  package struct Unnamable: Sendable, Hashable {
    /// The name, with each non-ASCII byte as `\xE9`.
    package var shown: String
    /// The name as the other functions return it, with invalid UTF-8 replaced.
    package var repaired: String
    package var isDirectory: Bool
  }

  /// Returns the entries of the directory at `path` whose names are not UTF-8; none if it cannot be read.
  package static func unnamable(in path: String) -> [Unnamable] {
    guard let stream = opendir(path) else {
      LookFailures.note(errno)
      return []
    }
    defer { closedir(stream) }
    var found: [Unnamable] = []
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
          guard String(validatingCString: name) == nil else { return }
          var status = stat()
          let isKnown = fstatat(dirfd(stream), name, &status, 0) == 0
          let bytes = UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) }
          found.append(
            Unnamable(
              shown: bytes.map {
                $0 < 0x80 ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16, uppercase: true)
              }
              .joined(), repaired: String(cString: name), isDirectory: isKnown && status.st_mode & S_IFMT == S_IFDIR))
        }
      }
    }
    return found.sorted { $0.shown < $1.shown }
  }

  private static func names(in stream: OpaquePointer?) throws(SystemError) -> [String] {
    guard let stream else {
      let number = errno
      LookFailures.note(number)
      throw SystemError("opendir", number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      // At the end, readdir leaves errno unchanged.
      errno = 0
      guard let entry = readdir(stream) else {
        let number = errno
        guard number == 0 else {
          LookFailures.note(number)
          throw SystemError("readdir", number)
        }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }
}
