import Glibc
import OperatingSystem

/// The descriptors that processes of operations leave free in a long-running host: for the database, for results, and for examining files and processes.
enum DescriptorReserve {
  /// The number of descriptors reserved.
  static let size: Int32 = 12
  /// The distance from the limit above which nothing is checked, because a check costs two system calls.
  private static let margin: Int32 = 64

  /// Whether the reserve is free. `used` is a descriptor that was the lowest free one a moment ago.
  static func isLeft(afterUsing used: Int32) -> Bool {
    guard let last = ResourceLimit.soft(RLIMIT_NOFILE).flatMap(Int32.init(exactly:)), used >= last - size - margin
    else { return true }
    // The kernel assigns the lowest free number. Free numbers above it are not counted, so some may be in use.
    let lowest = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lowest >= 0 else { return false }
    close(lowest)
    return lowest < last - size
  }
}
