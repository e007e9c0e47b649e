import Glibc
import OperatingSystem
import Synchronization

/// The temporary files of one process, so that a signal can delete them.
///
/// Between creating and publishing, a file is registered here. ``deleteAll()`` waits for a publication in progress, so that a signal interrupts nothing
/// half done.
public final class TemporaryFiles: Sendable {
  private struct State {
    var paths: Set<String> = []
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Creates an empty registry.
  public init() {}

  /// Deletes the files, and lets nothing be created or published from now on. For a process that is about to end.
  public func deleteAll() {
    state.withLock { state in
      state.isClosed = true
      for path in state.paths { unlink(path) }
      state.paths = []
    }
  }

  /// Calls `create`, which returns the path of a new file, and registers it.
  func add(_ create: () throws(InstallationError) -> String) throws(InstallationError) {
    try whileOpen { (paths) throws(InstallationError) in _ = paths.insert(try create()) }
  }

  /// Deletes a file, unless it was published.
  func delete(_ path: String) {
    state.withLock { state in
      if state.paths.remove(path) != nil { unlink(path) }
    }
  }

  /// Calls `publish`, which renames the file, and keeps signals from ending the process meanwhile.
  func publish<Value>(
    _ path: String, _ publish: () throws(InstallationError) -> Value
  ) throws(InstallationError) -> Value {
    try whileOpen { (paths) throws(InstallationError) in
      let value = try publish()
      paths.remove(path)
      return value
    }
  }

  private func whileOpen<Value>(
    _ body: (inout Set<String>) throws(InstallationError) -> Value
  ) throws(InstallationError) -> Value {
    let result: Result<Value, InstallationError> = state.withLock { state in
      guard !state.isClosed else { return .failure(InstallationError(.cancelled, "cancelled")) }
      do throws(InstallationError) {
        return .success(try body(&state.paths))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// A new file in the folder of plugins, not visible as a plugin. It is deleted when the last reference is released, unless it was published.
///
/// It is locked as long as it is open: a file that nobody has locked was left by a process that was killed.
final class TemporaryFile: Sendable {
  /// The beginning of its name, which no plugin has.
  static let prefix = ".penstock-adding-"

  let path: String
  let descriptor: Int32
  private let files: TemporaryFiles

  init(in folder: String, _ files: TemporaryFiles) throws(InstallationError) {
    let path = "\(folder)/\(Self.prefix)\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
    var opened: Int32 = -1
    try files.add { () throws(InstallationError) in
      opened = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard opened >= 0 else { throw .folder("create a file in", folder) }
      return path
    }
    flock(opened, LOCK_EX | LOCK_NB)
    descriptor = opened
    self.path = path
    self.files = files
  }

  deinit {
    files.delete(path)
    close(descriptor)
  }

  /// The name without the directory.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Makes the content durable, and readable for everyone.
  func complete() throws(InstallationError) {
    guard fchmod(descriptor, 0o755) == 0, fsync(descriptor) == 0 else { throw .folder("write", path) }
  }

  /// Gives the file its name, atomically, in place of a file that has it. Calls `publishing` right after that.
  func publish<Value>(
    as target: String, _ publishing: () throws(InstallationError) -> Value
  ) throws(InstallationError) -> Value {
    try files.publish(path) { () throws(InstallationError) in
      guard rename(path, target) == 0 else { throw .folder("write", target) }
      return try publishing()
    }
  }
}
