import Glibc
import Operations

/// What tells one state of a file or directory from another without reading it.
struct FileStamp: Equatable {
  /// The clock of the file system may lag behind the system's by one tick of the kernel's, in microseconds.
  static let lag: Int64 = 10_000

  private let device: dev_t
  private let inode: ino_t
  private let size: Int64
  /// When it was written to, or put where it is. The kernel's own time of that: the time of the content can be set to any, and moves along with a
  /// file that is moved here.
  let latest: RecordTime

  /// The state of what is at `path`, links followed; nil where nothing is.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    size = Int64(status.st_size)
    let changed = status.st_ctim
    latest = RecordTime(microseconds: Int64(changed.tv_sec) * 1_000_000 + Int64(changed.tv_nsec) / 1000)
  }

  /// When what is at `path` was put there or last touched; nil where nothing is. A link may be younger than its target.
  static func latestStatusChange(_ path: String) -> Timestamp? {
    var (target, link) = (stat(), stat())
    guard stat(path, &target) == 0, lstat(path, &link) == 0 else { return nil }
    return [target.st_ctim, link.st_ctim].map { Timestamp(seconds: Int64($0.tv_sec), nanoseconds: Int64($0.tv_nsec)) }
      .max()
  }
}
