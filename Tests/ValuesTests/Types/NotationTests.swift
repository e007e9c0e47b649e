import Testing

@testable import Values

@Suite("Durations, sizes, timestamps and dates")
struct NotationTests {
  @Test(
    "a date is parsed",
    arguments: [
      ("1970-01-01", 0), ("2024-02-29", 19_782), ("1969-12-31", -1), ("0000-03-01", -719_468),
      ("9999-12-31", 2_932_896),
    ])
  func date(text: String, expected: Int) {
    #expect(DateNotation.parse(text) == expected)
  }

  @Test(
    "text that is not a date is rejected",
    arguments: [
      "", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-1", "2026-01-1 ", "2026/01/01", "10000-01-01",
      "-001-01-01", "2026-01-01T", "20260101", "２０26-01-01", "2026-04-31",
    ])
  func noDate(text: String) {
    #expect(DateNotation.parse(text) == nil)
  }

  static let durations: [(String, Duration, String)] = [
    ("0", .zero, "0s"), ("0s", .zero, "0s"), ("200ms", .milliseconds(200), "200ms"),
    ("1.5s", .milliseconds(1500), "1.5s"), ("30s", .seconds(30), "30s"), ("90s", .seconds(90), "1m30s"),
    ("1h30m", .seconds(5400), "1h30m"), ("1.5h", .seconds(5400), "1h30m"),
    ("2d", .seconds(172_800), "2d"), ("1w", .seconds(604_800), "7d"),
    ("1w2d3h4m5s6ms", .seconds(788_645) + .milliseconds(6), "9d3h4m5.006s"),
    ("1m500ms", .milliseconds(60_500), "1m0.5s"), ("0.001s", .milliseconds(1), "1ms"),
    ("0.5ms", .microseconds(500), "1ms"),
    ("0.000000001s", .nanoseconds(1), "0s"), ("1000000ms", .seconds(1000), "16m40s"),
    ("292y".replacing("292y", with: "106751d"), .seconds(9_223_286_400), "106751d"),
  ]

  @Test("a duration is parsed and formatted", arguments: durations)
  func duration(text: String, expected: Duration, written: String) {
    #expect(DurationNotation.parse(text) == expected)
    #expect(DurationNotation.format(expected) == written)
  }

  @Test(
    "text that is not a duration is rejected",
    arguments: [
      "", "1", "10", "00", "s", "-1s", "+1s", "1 s", " 1s", "1S", "1sec", "1m1h", "1s1s", "1h30", ".5s", "1.s", "1..5s",
      "1e3s", "999999999999999999w", "106752d", "0.1234567890s", "٣s", "1s\u{0}",
    ])
  func noDuration(text: String) {
    #expect(DurationNotation.parse(text) == nil)
  }

  @Test(
    "a duration over the maximum is distinguished from text that is not a duration",
    arguments: [
      ("20000w", true), ("106752d", true), ("15250w2d", true), ("999999999999999999999999999999ms", true),
      ("15250w1d23h47m16s854ms", false), ("1w", false), ("99999999999999999999", false), ("20000x", false),
      ("1d20000w", false), ("", false), ("20000w1", false), ("1.2.3w", false), (".5w", false), ("20000.w", false),
    ])
  func tooLong(text: String, isTooLong: Bool) {
    #expect(DurationNotation.isTooLong(text) == isTooLong)
    #expect(DurationNotation.parse(DurationNotation.longest) != nil)
  }

  @Test("negative durations are formatted with a sign")
  func negative() {
    #expect(DurationNotation.format(.milliseconds(-1500)) == "-1.5s")
    #expect(DurationNotation.format(.milliseconds(-5)) == "-5ms")
    #expect(DurationNotation.format(.seconds(Int64.max)) == "106751991167300d15h30m7s")
  }

  static let sizes: [(String, Int64, String)] = [
    ("0", 0, "0B"), ("512", 512, "512B"), ("512B", 512, "512B"), ("1KiB", 1024, "1KiB"), ("16MiB", 16 << 20, "16MiB"),
    ("10 MB", 10_000_000, "9.5MiB"), ("1KB", 1000, "1000B"), ("1kB", 1000, "1000B"), ("1.5GiB", 3 << 29, "1.5GiB"),
    ("2TiB", 2 << 40, "2TiB"),
    ("1TB", 1_000_000_000_000, "931.3GiB"), ("2GB", 2_000_000_000, "1.8GiB"), ("0.5B", 0, "0B"),
  ]

  @Test("a size is parsed and formatted", arguments: sizes)
  func size(text: String, expected: Int64, written: String) {
    #expect(SizeNotation.parse(text) == expected)
    #expect(SizeNotation.format(expected) == written)
  }

  @Test(
    "text that is not a size is rejected",
    arguments: [
      "", "B", "-1", "1.5", "1 ", "1mb", "1M", "1PiB", "1 MiB ", "9999999TiB", "99999999999999999999", "1.B", "0x10",
    ])
  func noSize(text: String) {
    #expect(SizeNotation.parse(text) == nil)
  }

  static let timestamps: [(String, Double, String)] = [
    ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00.000Z"),
    ("2026-03-29T02:30:00.250+01:00", 1_774_747_800.25, "2026-03-29T01:30:00.250Z"),
    ("2000-02-29T23:59:59z", 951_868_799, "2000-02-29T23:59:59.000Z"),
    ("1969-12-31T23:59:59.5Z", -0.5, "1969-12-31T23:59:59.500Z"),
    ("2024-12-31 23:59:60Z", 1_735_689_600, "2025-01-01T00:00:00.000Z"),
    ("0000-01-01T00:00:00Z", -62_167_219_200, "0000-01-01T00:00:00.000Z"),
    ("9999-12-31T23:59:59Z", 253_402_300_799, "9999-12-31T23:59:59.000Z"),
    ("1900-03-01t00:00:00-05:30", -2_203_871_400, "1900-03-01T05:30:00.000Z"),
    ("2026-01-01T00:00:00.123456789Z", 1_767_225_600.123456789, "2026-01-01T00:00:00.123Z"),
  ]

  @Test("a timestamp is parsed and formatted", arguments: timestamps)
  func timestamp(text: String, expected: Double, written: String) {
    #expect(TimestampNotation.parse(text) == expected)
    #expect(TimestampNotation.format(expected) == written)
  }

  @Test(
    "text that is not a timestamp is rejected",
    arguments: [
      "", "2026-03-29", "2026-03-29T02:30:00", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
      "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z",
      "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00Zx",
      "2026-01-01X00:00:00Z", "26-01-01T00:00:00Z", "2026-1-01T00:00:00ZZ", "2026-01-01T00:00:00.5",
      "2026/01/01T00:00:00Z",
    ])
  func noTimestamp(text: String) {
    #expect(TimestampNotation.parse(text) == nil)
  }

  @Test("the days of 800 years read back as they were written")
  func days() {
    for day in stride(from: -146_097, through: 146_097, by: 13) {
      let seconds = Double(day) * 86_400
      #expect(TimestampNotation.parse(TimestampNotation.format(seconds)) == seconds)
    }
    #expect(TimestampNotation.format(.nan) == "1970-01-01T00:00:00.000Z")
    #expect(TimestampNotation.format(1e300) == "9999-12-31T23:59:59.999Z")
    #expect(TimestampNotation.format(-.infinity) == "0000-01-01T00:00:00.000Z")
  }
}
