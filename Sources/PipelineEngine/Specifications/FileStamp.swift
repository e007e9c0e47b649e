import Glibc
import RunHistory

/// What tells one state of a file or directory from another without reading it.
package struct FileStamp: Hashable, Sendable {
  /// The clock of the file system may lag behind the system's by one tick of the kernel's, in microseconds.
  static let lag: Int64 = 10_000

  private let device: dev_t
  private let inode: ino_t
  private let size: Int64
  /// When it was written to, or put where it is. The kernel's own time of that: the time of the content can be set to any, and moves along with a
  /// file that is moved here.
  let latest: RecordTime

  /// The state of what is at `path`, links followed; nil where nothing is.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    size = Int64(status.st_size)
    latest = RecordTime(
      microseconds: Int64(status.st_ctim.tv_sec) * 1_000_000 + Int64(status.st_ctim.tv_nsec) / 1000)
  }

  /// The state as text, the same for two equal ones.
  var text: String { "\(device) \(inode) \(size) \(latest.microseconds)" }
}
