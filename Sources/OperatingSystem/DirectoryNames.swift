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
