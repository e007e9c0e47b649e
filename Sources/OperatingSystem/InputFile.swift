import Glibc

/// A file from outside, opened for reading: the one way in which our code opens what it did not make itself.
///
/// Opening never waits: for a writer of a FIFO, for a device, for a terminal. What is opened is looked at before it is read, and it is read up to a limit,
/// since its size says nothing: files of `/proc` have none, and others grow.
package struct InputFile: ~Copyable {
  package typealias Kind = InputFileError.Kind

  /// Which files a caller reads.
  package enum Acceptance: Sendable {
    /// Regular files alone.
    case regular
    /// Terminals as well, and pipes that the process was given: what `/dev/stdin` and the `<(…)` of shells stand for. Not a FIFO that only has a name, which
    /// nobody may ever write to.
    case given
    /// Pipes, FIFOs and terminals as well: whatever has an end that somebody makes.
    case streams
  }

  /// Open as long as the value lives. It does not block, but for a pipe that the process was given.
  package let descriptor: Int32
  package let path: String
  package let kind: Kind

  /// Opens the file at `path`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - directory: The directory that a relative path starts from. Default: the current one.
  ///   - followsLink: Whether `path` may be a symbolic link. Default true.
  ///   - acceptance: What may be read. Default: regular files alone.
  /// - Throws: ``InputFileError/system(path:number:)`` or ``InputFileError/unsuitable(path:_:)``.
  package init(
    _ path: String, in directory: Int32 = AT_FDCWD, followsLink: Bool = true, accepts acceptance: Acceptance = .regular
  ) throws(InputFileError) {
    // The system would read the name up to it.
    guard !path.utf8.contains(0) else { throw .system(path: path, number: ENOENT) }
    var opened = Self.open(path, directory, followsLink ? 0 : O_NOFOLLOW)
    guard opened >= 0 else {
      switch errno {
      case ELOOP where !followsLink: throw .unsuitable(path: path, .link)
      // What a socket, or a device that is not there, answers.
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

  /// How many bytes the system says there are: 0 of a pipe, and of files of `/proc`.
  package var size: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// A descriptor of the same open file, for a program: the caller's to close, and one that blocks, as programs expect.
  package consuming func duplicate() throws(InputFileError) -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .system(path: path, number: errno) }
    _ = fcntl(copy, F_SETFL, 0)
    return copy
  }

  /// The bytes of the regular file at `path`.
  ///
  /// - Throws: ``InputFileError``, also where there are more than `limit`.
  package static func read(
    _ path: String, limit: Int, followsLink: Bool = true, accepts acceptance: Acceptance = .regular
  ) throws(InputFileError) -> [UInt8] {
    try InputFile(path, followsLink: followsLink, accepts: acceptance).read(limit: limit)
  }

  /// All bytes from here on.
  ///
  /// - Throws: ``InputFileError``, also where there are more than `limit`.
  package func read(limit: Int, patience: Duration = .seconds(30)) throws(InputFileError) -> [UInt8] {
    let bytes = try prefix(limit + 1, patience: patience)
    guard bytes.count <= limit else { throw .tooLong(path: path, limit: limit) }
    return bytes
  }

  /// The next `count` bytes, fewer where the file ends before.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - patience: How long a pipe may take to its end. A person at a terminal may take any time.
  /// - Returns: The bytes.
  /// - Throws: ``InputFileError``.
  package func prefix(_ count: Int, patience: Duration = .seconds(30)) throws(InputFileError) -> [UInt8] {
    let deadline = ContinuousClock.now + patience
    var bytes: [UInt8] = []
    while bytes.count < count {
      if kind != .regular { try awaitInput(until: kind == .terminal ? nil : deadline, patience) }
      // Not more than is there at a time: a small file costs a small buffer.
      let wanted = min(count - bytes.count, bytes.isEmpty ? 16 << 10 : 256 << 10)
      var problem: Int32 = 0
      let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
        let done = Glibc.read(descriptor, buffer.baseAddress, wanted)
        if done < 0 { problem = errno }
        filled = max(done, 0)
      }
      // A file such as /proc/kmsg has no end, and nothing more for now.
      if problem == EAGAIN, kind == .regular { throw .endless(path: path) }
      if problem == EINTR || problem == EAGAIN { continue }
      guard problem == 0 else { throw .system(path: path, number: problem) }
      if piece.isEmpty { break }
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
    }
    return bytes
  }

  /// Waits until something can be read, or the last writer has gone. A FIFO that nobody has opened for writing yet has no end: to read it would say so.
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
      // Somebody holds a lease on the file, and has been told to give it up: this takes a moment, and does not block either.
      guard opened < 0, errno == EAGAIN || errno == EINTR else {
        if opened < 0 { LookFailures.note(errno) }
        return opened
      }
      usleep(1000)
    }
    errno = EAGAIN
    return -1
  }

  /// A copy of the descriptor by which the process was given the same pipe, in place of `opened`; nil where it was not.
  ///
  /// A FIFO that is opened anew has no end for its reader until somebody writes to it once more.
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

  /// Shells begin at 10 or 63. Looking at a thousand takes a tenth of a millisecond.
  private static let mostGiven: Int32 = 1000

  /// What is at a path, links followed; nil where there is nothing, or nothing that can be looked at.
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
