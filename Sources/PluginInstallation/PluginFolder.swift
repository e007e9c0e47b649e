import Glibc
import OperatingSystem

/// The folder in which third-party plugins are installed.
struct PluginFolder: Sendable {
  /// How old a temporary file must be before another process deletes it, in seconds: it is locked a moment after its creation.
  private static let sweepAge = 60

  let path: String

  /// Creates the folder if it is missing, with those above it, and deletes what killed processes left in it.
  ///
  /// Whatever the umask, others cannot write to it: a plugin in it would be refused.
  func prepare() throws(InstallationError) {
    var at = path.utf8.startIndex
    while let slash = path.utf8[at...].dropFirst().firstIndex(of: UInt8(ascii: "/")) {
      try make(String(path[..<slash]))
      at = slash
    }
    try make(path)
    sweep()
  }

  private func make(_ directory: String) throws(InstallationError) {
    guard mkdir(directory, 0o755) == 0 else {
      let number = errno
      var status = stat()
      if stat(directory, &status) == 0 {
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .folder("create", directory, ENOTDIR) }
        return
      }
      throw .folder("create", directory, number)
    }
  }

  private func sweep() {
    guard let folder = try? Folder(path) else { return }
    for name in folder.names where name.hasPrefix(TemporaryFile.prefix) {
      var status = stat()
      let descriptor = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      guard fstat(descriptor, &status) == 0, time(nil) - status.st_mtim.tv_sec > Self.sweepAge else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlinkat(folder.descriptor, name, 0) }
    }
  }

  /// Calls `body` while no other process changes the folder.
  func withLock<Value>(_ body: () throws(InstallationError) -> Value) throws(InstallationError) -> Value {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .folder("open", path) }
    defer { close(descriptor) }
    // A file system that cannot lock a directory is no reason to fail: files are replaced atomically.
    _ = SystemCall.retrying { flock(descriptor, LOCK_EX) }
    return try body()
  }

  /// Makes new names in the folder durable.
  func sync() {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Whether a file that was found is directly in the folder.
  func contains(_ file: String) -> Bool {
    guard let slash = file.lastIndex(of: "/"), let own = Self.resolved(path) else { return false }
    return Self.resolved(String(file[..<slash])) == own
  }

  /// Whether a `plugins.lock` is directly in the folder.
  func containsLock(_ path: String) -> Bool { contains(path.contains("/") ? path : "./\(path)") }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
