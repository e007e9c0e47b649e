import Crypto
import Glibc
import HTTPOperations
import OperatingSystem
import Operations
import Values
import Workspace

/// Announces successful requests between the hosts of one workspace.
///
/// A waiter holds a shared lock on a file named after the endpoint, in the workspace's directory `peers`; a request that succeeds touches that file.
/// Without a waiter there is no file, and a success costs one failing system call.
final class WorkspacePeers: HTTPPeerChannel {
  private let folder: String
  private let loop: EventLoop
  private let paths: LoopBound<PathWatch>

  init(workspace directory: String, loop: EventLoop, paths: PathWatch) {
    folder = directory + "/peers"
    self.loop = loop
    self.paths = LoopBound(paths)
  }

  func announce(_ endpoint: HTTPEndpoint) {
    // It usually fails with ENOENT; other errors do not matter to a request that has succeeded.
    _ = utimensat(AT_FDCWD, path(of: endpoint), nil, AT_SYMLINK_NOFOLLOW)
  }

  func subscribe(to endpoint: HTTPEndpoint, _ handler: @escaping @Sendable () -> Void) -> OperationSubscription {
    mkdir(folder, 0o700)
    // Without a file, as on a full disk, the wait is not shortened by other hosts.
    guard let file = PeerFile(path(of: endpoint), in: folder) else { return .empty }
    let watch = PeerWatch(file: file, handler)
    loop.execute { [paths] in watch.begin(paths.value) }
    return OperationSubscription { [loop, paths] in loop.execute { watch.end(paths.value) } }
  }

  private func path(of endpoint: HTTPEndpoint) -> String {
    folder + "/" + SHA256.hash(data: Array(endpoint.description.utf8)).prefix(16).hexadecimal
  }
}

/// A file that exists as long as any process waits.
private final class PeerFile: Sendable {
  let path: String
  private let descriptor: Int32

  init?(_ path: String, in folder: String) {
    self.path = path
    var status = stat()
    // A link would create files elsewhere.
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    while true {
      guard let opened = Self.open(path) else { return nil }
      var (mine, there) = (stat(), stat())
      guard flock(opened, LOCK_SH | LOCK_NB) == 0, fstat(opened, &mine) == 0 else {
        // A leaving waiter holds the lock while it removes the file.
        let isHeld = errno == EWOULDBLOCK
        close(opened)
        guard isHeld else { return nil }
        sched_yield()
        continue
      }
      if stat(path, &there) == 0, mine.st_ino == there.st_ino {
        descriptor = opened
        return
      }
      close(opened)
    }
  }

  /// The time of the latest success, in nanoseconds; nil if the file no longer exists.
  var latest: Int64? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return status.st_mtim.nanoseconds
  }

  /// Opens the file, or creates it with a time in the distant past: otherwise a success within the same tick of the file system's clock would not change it.
  private static func open(_ path: String) -> Int32? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    while true {
      let made = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o600)
      if made >= 0 {
        let past = [timespec(), timespec()]
        futimens(made, past)
        return made
      }
      guard errno == EEXIST else { return nil }
      let opened = Glibc.open(path, flags)
      if opened >= 0 { return opened }
      // The other waiter has left and removed it.
      guard errno == ENOENT else { return nil }
    }
  }

  deinit {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
    close(descriptor)
  }
}

/// The wait for a change of a file. *On the event loop.*
private final class PeerWatch: @unchecked Sendable {
  // @unchecked: mutable state is accessed only on the event loop.

  private var file: PeerFile?
  private let handler: @Sendable () -> Void
  private var latest: Int64?
  private var entry: Int?

  init(file: PeerFile, _ handler: @escaping @Sendable () -> Void) {
    self.file = file
    self.handler = handler
    latest = file.latest
  }

  func begin(_ paths: PathWatch) {
    guard let file else { return }
    entry = paths.add(file.path) { [weak self] in self?.look() }
    // It may have changed before it was watched.
    look()
  }

  func end(_ paths: PathWatch) {
    if let entry { paths.remove(entry) }
    entry = nil
    file = nil
  }

  private func look() {
    guard let found = file?.latest, found != latest else { return }
    latest = found
    handler()
  }
}
