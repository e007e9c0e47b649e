import Glibc
import OperatingSystem
import RunHistory

extension ProcessTable {
  /// An instant in the unit and from the origin of start times. It is only as right as the clock was since.
  static func ticksSinceBoot(at instant: RecordTime) -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    let age = Double(RecordTime.now.microseconds &- instant.microseconds) / 1e6
    return Int64(max(0, Double(now.tv_sec) - age)) * Int64(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Whether the environment that a process was started with names any run.
  static func namesRun(_ pid: Int32) -> Bool {
    environment(of: pid)?.contains { $0.starts(with: "PENSTOCK_RUN_ID=".utf8) } == true
  }
}
