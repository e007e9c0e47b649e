import Schedules
import Testing

/// Returns the first instant at which clocks in `zone` show `text`, such as `2026-03-29 02:30` or `2026-03-29 02:30:15`.
func instant(_ text: String, _ zone: TimeZoneRules = .utc) throws -> UnixTime {
  let numbers = text.split { "-: ".contains($0) }.compactMap { Int($0) }
  try #require(numbers.count >= 5)
  let date = try #require(CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]))
  let time = try #require(
    CivilTime(date, hour: numbers[3], minute: numbers[4], second: numbers.count > 5 ? numbers[5] : 0))
  return try #require(zone.instants(of: time).first)
}

func zone(_ name: String) throws -> TimeZoneRules {
  try TimeZoneDatabase.system.zone(name)
}

/// A pseudorandom generator that yields the same numbers in every run (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
