import Glibc

/// The clocks of the system, in nanoseconds.
package enum SystemClock {
  /// Returns the time of a clock, such as `CLOCK_MONOTONIC`.
  package static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.nanoseconds
  }
}

extension timespec {
  /// The nanoseconds, saturated to the range of Int64: a clock, or the time of a file, that is set beyond the year 2262 must not end the process.
  package var nanoseconds: Int64 {
    let (seconds, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return tv_sec < 0 ? .min : .max }
    let (sum, overflowOfSum) = seconds.addingReportingOverflow(Int64(tv_nsec))
    return overflowOfSum ? .max : sum
  }
}
