import Glibc

/// An open directory. Its contents are reached by plain names, one step at a time, and no step follows a symbolic link, so nothing outside is ever
/// reached, even if another process replaces entries meanwhile.
package final class Folder: Sendable {
  /// The kind of a directory entry.
  package enum Entry: Sendable, Hashable {
    case file(size: Int64)
    case folder
    case link
    /// A FIFO, a socket or a device.
    case special
  }

  package let descriptor: Int32

  /// Opens the directory at `path`, which may contain symbolic links.
  package init(_ path: String) throws(SystemError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open", errno) }
  }

  private init(_ name: String, in parent: borrowing Folder) throws(SystemError) {
    descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("openat", errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The names of its entries, in no particular order.
  package var names: [String] { DirectoryNames.of(descriptor: descriptor) }

  /// Returns the kind of the entry `name`; nil if there is none.
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

  /// Opens the subdirectory `name`.
  package func folder(_ name: String) throws(SystemError) -> Folder { try Folder(name, in: self) }

  /// Opens the subdirectory `name`, creating it if missing; by default, only its owner has access.
  package func making(_ name: String, mode: mode_t = 0o700) throws(SystemError) -> Folder {
    guard mkdirat(descriptor, name, mode) == 0 || errno == EEXIST else { throw SystemError("mkdirat", errno) }
    return try Folder(name, in: self)
  }

  /// Opens the directory reached by `steps`.
  package func folder(_ steps: some Sequence<String>) throws(SystemError) -> Folder {
    var folder = self
    for step in steps { folder = try folder.folder(step) }
    return folder
  }

  /// Opens the directory reached by `steps`, creating missing ones.
  package func making(_ steps: some Sequence<String>, mode: mode_t = 0o700) throws(SystemError) -> Folder {
    var folder = self
    for step in steps { folder = try folder.making(step, mode: mode) }
    return folder
  }

  /// Removes the directory or file `name` with all its contents.
  package func remove(_ name: String) {
    guard unlinkat(descriptor, name, 0) != 0, errno == EISDIR || errno == EPERM,
      let folder = try? folder(name)
    else { return }
    for inner in folder.names { folder.remove(inner) }
    unlinkat(descriptor, name, AT_REMOVEDIR)
  }

  /// Copies the regular file `name` into another directory, under a name that must not exist there (`EEXIST`). An incomplete copy is removed.
  ///
  /// - Parameters:
  ///   - name: The file.
  ///   - target: The other directory.
  ///   - newName: The name of the copy.
  ///   - mode: The permissions of the copy. If the owner may execute the file, everyone who may read the copy may execute it.
  ///   - each: Called with each piece before it is written; an error it throws ends the copy.
  /// - Returns: The number of bytes copied, and whether the file was written to meanwhile, so that the copy may match no state it ever had.
  /// - Throws: ``SystemError``, which is `EINVAL` if the entry is not a regular file; any error of `each`.
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
