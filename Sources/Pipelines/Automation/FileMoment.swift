import Glibc

/// A moment on the clock that file systems stamp files with, which may be some milliseconds behind that of the computer.
public struct FileMoment: Sendable, Hashable, Comparable {
  private let seconds: Int
  private let nanoseconds: Int

  private init(_ time: timespec) {
    seconds = time.tv_sec
    nanoseconds = time.tv_nsec
  }

  /// This moment.
  public static var now: FileMoment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return FileMoment(time)
  }

  /// When the file at `path` was last written, replaced or otherwise touched; nil when there is none.
  ///
  /// That is its status change time: unlike the time of its modification, nobody can set it.
  public static func ofChange(atPath path: String) -> FileMoment? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return FileMoment(status.st_ctim)
  }

  /// Whether `left` comes first.
  public static func < (left: FileMoment, right: FileMoment) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
