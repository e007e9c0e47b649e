import Glibc

/// An open directory. What is in it is reached by a plain name, one step at a time, and no step follows a symbolic link, so that nothing outside is ever
/// reached whatever somebody replaces meanwhile.
package final class Folder: Sendable {
  /// What a name stands for.
  package enum Entry: Sendable, Hashable {
    case file(size: Int64)
    case folder
    case link
    /// A FIFO, a socket or a device.
    case special
  }

  package let descriptor: Int32

  /// Opens the directory at `path`, which may lead over links.
  package init(_ path: String) throws(SystemError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open", errno) }
  }

  private init(_ name: String, in parent: borrowing Folder) throws(SystemError) {
    descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("openat", errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The names in it, in no particular order.
  package var names: [String] { DirectoryNames.of(descriptor: descriptor) }

  /// What `name` stands for; nil where there is nothing.
  package func entry(_ name: String) -> Entry? {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file(size: Int64(status.st_size))
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .special
    }
  }

  /// The directory called `name`.
  package func folder(_ name: String) throws(SystemError) -> Folder { try Folder(name, in: self) }

  /// The directory called `name`, which is made where it is missing, for its owner alone unless `mode` says more.
  package func making(_ name: String, mode: mode_t = 0o700) throws(SystemError) -> Folder {
    guard mkdirat(descriptor, name, mode) == 0 || errno == EEXIST else { throw SystemError("mkdirat", errno) }
    return try Folder(name, in: self)
  }

  /// The directory at the end of `steps`.
  package func folder(_ steps: some Sequence<String>) throws(SystemError) -> Folder {
    var folder = self
    for step in steps { folder = try folder.folder(step) }
    return folder
  }

  /// The same, made where it is missing.
  package func making(_ steps: some Sequence<String>, mode: mode_t = 0o700) throws(SystemError) -> Folder {
    var folder = self
    for step in steps { folder = try folder.making(step, mode: mode) }
    return folder
  }

  /// Removes the directory or file called `name` with all that is in it.
  package func remove(_ name: String) {
    guard unlinkat(descriptor, name, 0) != 0, errno == EISDIR || errno == EPERM,
      let folder = try? folder(name)
    else { return }
    for inner in folder.names { folder.remove(inner) }
    unlinkat(descriptor, name, AT_REMOVEDIR)
  }

  /// Copies the regular file `name` into another directory, under a name that is free there (`EEXIST`). What cannot be copied whole is not left behind.
  ///
  /// - Parameters:
  ///   - name: The file.
  ///   - target: The other directory.
  ///   - newName: What the copy is called there.
  ///   - mode: The permissions of the copy. Whoever may execute the file may execute the copy, as far as they may read it.
  ///   - each: Called with each piece before it is written; what it throws ends the copy.
  /// - Returns: How many bytes were copied, and whether somebody wrote to the file meanwhile, so that the copy is no state that it ever had.
  /// - Throws: ``SystemError``; `EINVAL` for what is no regular file. What `each` throws.
  package func copy(
    _ name: String, to target: Folder, as newName: String, mode: mode_t = 0o600,
    each: (ArraySlice<UInt8>) throws -> Void
  ) throws -> (size: Int64, hasChanged: Bool) {
    let source = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard source >= 0 else { throw SystemError("openat", errno) }
    defer { close(source) }
    var status = stat()
    guard fstat(source, &status) == 0 else { throw SystemError("fstat", errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("openat", EINVAL) }
    let executable: mode_t = status.st_mode & 0o100 == 0 ? 0 : (mode & 0o444) >> 2
    let copy = openat(target.descriptor, newName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode | executable)
    guard copy >= 0 else { throw SystemError("openat", errno) }
    let outcome = Result { try Self.copy(source, to: copy, each) }
    var isWhole = (try? outcome.get()) != nil
    let closing = close(copy) == 0 || errno == EINTR ? 0 : errno
    if closing != 0 { isWhole = false }
    if !isWhole { unlinkat(target.descriptor, newName, 0) }
    let size = try outcome.get()
    guard closing == 0 else { throw SystemError("close", closing) }
    var later = stat()
    let isSame =
      fstat(source, &later) == 0 && Int64(later.st_size) == size && later.st_size == status.st_size
      && later.st_mtim.tv_sec == status.st_mtim.tv_sec && later.st_mtim.tv_nsec == status.st_mtim.tv_nsec
    return (size, !isSame)
  }

  private static func copy(_ source: Int32, to copy: Int32, _ each: (ArraySlice<UInt8>) throws -> Void) throws -> Int64
  {
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var size: Int64 = 0
    while true {
      let count = SystemCall.retrying { read(source, &buffer, buffer.count) }
      guard count >= 0 else { throw SystemError("read", errno) }
      if count == 0 { return size }
      try each(buffer[..<count])
      try SystemCall.writeAll(buffer[..<count], to: copy)
      size += Int64(count)
    }
  }
}
