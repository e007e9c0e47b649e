import Glibc

/// The processors of this machine.
enum Processors {
  /// How many this process may run on, as its affinity says.
  static let count: Int = {
    var set = cpu_set_t()
    guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else { return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    return withUnsafeBytes(of: &set) { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
  }()
}
