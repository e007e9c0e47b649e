import Glibc
import OperatingSystem
import Testing

@Suite("Clocks of the system") struct SystemClockTests {
  @Test("a time beyond the year 2262 counts as the last one that fits")
  func distant() {
    #expect(timespec(tv_sec: 1, tv_nsec: 5).nanoseconds == 1_000_000_005)
    #expect(timespec(tv_sec: 9_223_372_036, tv_nsec: 854_775_807).nanoseconds == .max)
    #expect(timespec(tv_sec: 9_223_372_036, tv_nsec: 999_999_999).nanoseconds == .max)
    #expect(timespec(tv_sec: 9_300_000_000, tv_nsec: 0).nanoseconds == .max)
    #expect(timespec(tv_sec: -9_300_000_000, tv_nsec: 0).nanoseconds == .min)
  }
}
