import Glibc

/// The descriptors that processes of operations leave free in a host that goes on for months: for the database, for results, and for looking at files and processes.
enum DescriptorReserve {
  /// How many they are.
  static let size: Int32 = 12
  /// How far from the limit nobody looks: that costs two system calls.
  private static let margin: Int32 = 64

  /// Whether they are left. `used` is a descriptor that was the lowest free one a moment ago.
  static func isLeft(afterUsing used: Int32) -> Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      let last = Int32(exactly: limit.rlim_cur), used >= last - size - margin
    else { return true }
    // The kernel gives the lowest number that is free. What is free above it is not counted: it is not sure to be there.
    let lowest = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lowest >= 0 else { return false }
    close(lowest)
    return lowest < last - size
  }
}
