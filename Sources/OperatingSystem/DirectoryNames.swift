import Glibc

/// What is in a directory, by name, in the order in which the system has it.
package enum DirectoryNames {
  /// The names in the directory at `path`, but for `.` and `..`; none where it cannot be read, which ``LookFailures`` knows if something was lacking for that.
  package static func of(_ path: String) -> [String] { (try? names(in: opendir(path))) ?? [] }

  /// The names in the directory at `path`, but for `.` and `..`: all of them, or none.
  package static func read(_ path: String) throws(SystemError) -> [String] { try names(in: opendir(path)) }

  /// The same of an open directory, whose descriptor stays the caller's.
  package static func of(descriptor: Int32) -> [String] {
    // The stream takes the descriptor over and closes it.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      LookFailures.note(errno)
      return []
    }
    // The copy reads on where whoever read it last has stopped.
    lseek(copy, 0, SEEK_SET)
    let stream = fdopendir(copy)
    if stream == nil {
      let number = errno
      close(copy)
      errno = number
    }
    return (try? names(in: stream)) ?? []
  }

  /// An entry whose name is not UTF-8, so that no path of ours leads to it.
  package struct Unnamable: Sendable, Hashable {
    /// Its name with each byte that is not ASCII as `\xE9`.
    package var shown: String
    /// Its name as the other functions return it, with characters in place of what is not UTF-8.
    package var repaired: String
    package var isDirectory: Bool
  }

  /// The entries of the directory at `path` whose names are not UTF-8; none where it cannot be read.
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
      // The end is no error, and leaves it as it is.
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
