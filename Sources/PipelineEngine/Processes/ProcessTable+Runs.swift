import Glibc
import OperatingSystem
import RunHistory

extension ProcessTable {
  /// Converts an instant to the unit and origin of start times. Only accurate if the clock has not been set since.
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
