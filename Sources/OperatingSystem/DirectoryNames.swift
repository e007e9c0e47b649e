import Glibc

/// What is in a directory, by name, in the order in which the system has it.
package enum DirectoryNames {
  /// The names in the directory at `path`, but for `.` and `..`; none where it cannot be read, which ``LookFailures`` knows if something was lacking for that.
  package static func of(_ path: String) -> [String] { names(in: opendir(path)) }

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
    return names(in: stream)
  }

  private static func names(in stream: OpaquePointer?) -> [String] {
    guard let stream else {
      LookFailures.note(errno)
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
