import Glibc
import Operations

/// The clock that file systems stamp files with, which may be some milliseconds behind that of the computer.
///
/// Since Linux 6.13 they stamp some files by the fine clock (a file that was looked at between two changes), so that a stamp may be later than a moment
/// that is taken after it, by less than two ticks. A change after a moment is never stamped earlier.
public enum FileClock {
  /// This moment.
  public static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return Timestamp(time)
  }

  /// When what is at `path` was put there or last touched; nil where nothing is. A link may be younger than its target.
  ///
  /// These are status change times: unlike the time of its modification, nobody can set them.
  static func latestChange(atPath path: String) -> Timestamp? {
    var (target, link) = (stat(), stat())
    guard stat(path, &target) == 0, lstat(path, &link) == 0 else { return nil }
    return max(Timestamp(target.st_ctim), Timestamp(link.st_ctim))
  }
}

extension Timestamp {
  fileprivate init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}
