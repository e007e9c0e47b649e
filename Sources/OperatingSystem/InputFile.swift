import Glibc

/// An external file, opened for reading. All code that opens files it did not create itself uses this type.
///
/// Opening never waits for the writer of a FIFO, a device or a terminal. The kind of file is checked before reading, and reading stops at a limit, because
/// the size is unreliable: files in `/proc` report none, and others grow.
package struct InputFile: ~Copyable {
  package typealias Kind = InputFileError.Kind

  /// The kinds of file that a caller accepts.
  package enum Acceptance: Sendable {
    /// Regular files only.
    case regular
    /// Also terminals, and pipes that the process was given, as behind `/dev/stdin` and a shell's `<(…)`; but not a named FIFO, which might never
    /// have a writer.
    case given
    /// Also pipes, FIFOs and terminals: anything whose writer can end it.
    case streams
  }

  /// The descriptor, open as long as the value lives. It does not block, except for a pipe that the process was given.
  package let descriptor: Int32
  package let path: String
  package let kind: Kind

  /// Opens the file at `path`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - directory: The directory to which a relative path refers. Default: the current one.
  ///   - followsLink: Whether `path` may be a symbolic link. Default: true.
  ///   - acceptance: The kinds of file to accept. Default: regular files only.
  /// - Throws: ``InputFileError/system(path:number:)`` or ``InputFileError/unsuitable(path:_:)``.
  package init(
    _ path: String, in directory: Int32 = AT_FDCWD, followsLink: Bool = true, accepts acceptance: Acceptance = .regular
  ) throws(InputFileError) {
    // The system would end the name at the NUL.
    guard !path.utf8.contains(0) else { throw .system(path: path, number: ENOENT) }
    var opened = Self.open(path, directory, followsLink ? 0 : O_NOFOLLOW)
    guard opened >= 0 else {
      switch errno {
      case ELOOP where !followsLink: throw .unsuitable(path: path, .link)
      // The error for a socket, or a device that does not exist.
      case ENXIO, ENODEV: throw .unsuitable(path: path, Self.kind(of: path, in: directory) ?? .device)
      case let number: throw .system(path: path, number: number)
      }
    }
    var status = stat()
    let kind = fstat(opened, &status) == 0 ? Self.kind(status.st_mode, opened) : .device
    var isAccepted =
      switch (kind, acceptance) {
      case (.regular, _), (.pipe, .streams), (.terminal, .streams), (.terminal, .given): true
      default: false
      }
    if kind == .pipe, acceptance == .given, let given = Self.given(opened, status) {
      opened = given
      isAccepted = true
    }
    guard isAccepted else {
      close(opened)
      throw .unsuitable(path: path, kind)
    }
    descriptor = opened
    self.path = path
    self.kind = kind
  }

  deinit { close(descriptor) }

  /// The size in bytes that the system reports: 0 for a pipe, and for files in `/proc`.
  package var size: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Returns a new descriptor of the same open file, for a program. The caller must close it; it blocks, as programs expect.
  package consuming func duplicate() throws(InputFileError) -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .system(path: path, number: errno) }
    _ = fcntl(copy, F_SETFL, 0)
    return copy
  }

  /// Returns the bytes of the file at `path`.
  ///
  /// - Throws: ``InputFileError``, also if there are more than `limit` bytes.
  package static func read(
    _ path: String, limit: Int, followsLink: Bool = true, accepts acceptance: Acceptance = .regular
  ) throws(InputFileError) -> [UInt8] {
    try InputFile(path, followsLink: followsLink, accepts: acceptance).read(limit: limit)
  }

  /// Returns all remaining bytes.
  ///
  /// - Throws: ``InputFileError``, also if there are more than `limit` bytes.
  package func read(limit: Int, patience: Duration = .seconds(30)) throws(InputFileError) -> [UInt8] {
    let bytes = try prefix(limit + 1, patience: patience)
    guard bytes.count <= limit else { throw .tooLong(path: path, limit: limit) }
    return bytes
  }

  /// Returns the next `count` bytes, or fewer if the file ends before.
  ///
  /// - Parameters:
  ///   - count: The number of bytes.
  ///   - patience: The time limit for a pipe to end. A terminal has no limit.
  /// - Returns: The bytes.
  /// - Throws: ``InputFileError``.
  package func prefix(_ count: Int, patience: Duration = .seconds(30)) throws(InputFileError) -> [UInt8] {
    let deadline = ContinuousClock.now + patience
    var bytes: [UInt8] = []
    while bytes.count < count {
      if kind != .regular { try awaitInput(until: kind == .terminal ? nil : deadline, patience) }
      // The first read uses a small buffer, enough for most files.
      let wanted = min(count - bytes.count, bytes.isEmpty ? 16 << 10 : 256 << 10)
      var problem: Int32 = 0
      let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
        let done = Glibc.read(descriptor, buffer.baseAddress, wanted)
        if done < 0 { problem = errno }
        filled = max(done, 0)
      }
      // A file such as /proc/kmsg has no end, and currently no more data.
      if problem == EAGAIN, kind == .regular { throw .endless(path: path) }
      if problem == EINTR || problem == EAGAIN { continue }
      guard problem == 0 else { throw .system(path: path, number: problem) }
      if piece.isEmpty { break }
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
    }
    return bytes
  }

  /// Waits until there is input or the last writer has closed. Reading a FIFO that has had no writer yet would report its end.
  private func awaitInput(until deadline: ContinuousClock.Instant?, _ patience: Duration) throws(InputFileError) {
    while true {
      var milliseconds: Int32 = -1
      if let deadline {
        let left = (deadline - ContinuousClock.now) / .milliseconds(1)
        guard left > 0 else { throw .unfinished(path: path, patience) }
        milliseconds = Int32(min(left.rounded(.up), 60_000))
      }
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&wait, 1, milliseconds) > 0 { return }
    }
  }

  private static func open(_ path: String, _ directory: Int32, _ flags: Int32) -> Int32 {
    for _ in 0..<1000 {
      let opened = openat(directory, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags)
      // Another process holds a lease on the file and was asked to release it, which takes a moment.
      guard opened < 0, errno == EAGAIN || errno == EINTR else {
        if opened < 0 { LookFailures.note(errno) }
        return opened
      }
      usleep(1000)
    }
    errno = EAGAIN
    return -1
  }

  /// Returns a copy of the descriptor through which the process was given the same pipe, in place of `opened`; nil if it was not given.
  ///
  /// Reopening a FIFO yields no end for its reader until it has another writer.
  private static func given(_ opened: Int32, _ status: stat) -> Int32? {
    for other in 0..<mostGiven where other != opened {
      var given = stat()
      guard fstat(other, &given) == 0, given.st_dev == status.st_dev, given.st_ino == status.st_ino else { continue }
      let copy = fcntl(other, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { continue }
      close(opened)
      return copy
    }
    return nil
  }

  /// The number of descriptors to check. Shells start at 10 or 63; checking a thousand takes 0.1 ms.
  private static let mostGiven: Int32 = 1000

  /// Returns the kind of file at a path, following links; nil if there is none, or if it cannot be accessed.
  package static func kind(of path: String, in directory: Int32 = AT_FDCWD) -> Kind? {
    var status = stat()
    return fstatat(directory, path, &status, 0) == 0 ? kind(status.st_mode, -1) : nil
  }

  private static func kind(_ mode: mode_t, _ descriptor: Int32) -> Kind {
    switch mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFIFO: .pipe
    case S_IFDIR: .directory
    case S_IFSOCK: .socket
    case S_IFLNK: .link
    case S_IFCHR where descriptor >= 0 && isatty(descriptor) == 1: .terminal
    default: .device
    }
  }
}
