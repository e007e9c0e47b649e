import Glibc
import RunHistory

/// Distinguishes one state of a file or directory from another without reading it.
package struct FileStamp: Hashable, Sendable {
  /// How far the file system's clock may lag behind the system's, in microseconds: one tick of the kernel.
  static let lag: Int64 = 10_000

  private let device: dev_t
  private let inode: ino_t
  private let size: Int64
  /// When it was written to, or put there, by its status change time: the modification time can be set to any value, and is kept when a file is moved here.
  let latest: RecordTime

  /// The state of the file at `path`, following links; nil if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    size = Int64(status.st_size)
    latest = RecordTime(
      microseconds: Int64(status.st_ctim.tv_sec) * 1_000_000 + Int64(status.st_ctim.tv_nsec) / 1000)
  }

  /// The state as text, equal for equal states.
  var text: String { "\(device) \(inode) \(size) \(latest.microseconds)" }
}
