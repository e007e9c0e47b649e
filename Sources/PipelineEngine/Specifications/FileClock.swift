import Glibc
import Operations

/// The clock that file systems use for timestamps, which may be some milliseconds behind that of the computer.
///
/// Since Linux 6.13, file systems stamp some files with the fine-grained clock (files that were read between two changes), so that a timestamp may be
/// later than a moment taken after it, by less than two ticks. A change after a moment is never stamped earlier.
public enum FileClock {
  /// Returns the current time.
  public static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return Timestamp(time)
  }

  /// Returns when the file at `path` was put there or last changed, or nil if there is none. A link may be newer than its target.
  ///
  /// These are status change times, which cannot be set, unlike modification times.
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
