import HTTPOperations
import HTTPTypes
import Operations
import OperationsTesting
import Testing

@Suite("HTTP dates")
struct HTTPDateTests {
  private let now = Timestamp(seconds: 1_700_000_000)

  @Test(
    "Each of the three formats yields the same instant",
    arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func forms(text: String) {
    #expect(HTTPDate.parse(text, now: now) == Timestamp(seconds: 784_111_777))
  }

  @Test(
    "An invalid date is rejected",
    arguments: [
      "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
      "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
    ])
  func refused(text: String) {
    #expect(HTTPDate.parse(text, now: now) == nil)
  }

  @Test("A two-digit year is the nearest that is at most 50 years ahead")
  func shortYears() {
    // In 2023: 73 is 2073, 74 is 1974.
    #expect(
      HTTPDate.parse("Monday, 01-Jan-73 00:00:00 GMT", now: now)
        == HTTPDate.parse("Sun, 01 Jan 2073 00:00:00 GMT", now: now))
    #expect(
      HTTPDate.parse("Monday, 01-Jan-74 00:00:00 GMT", now: now)
        == HTTPDate.parse("Tue, 01 Jan 1974 00:00:00 GMT", now: now))
  }

  @Test("Every instant is parsed as it was formatted, through leap years and centuries")
  func roundTrip() throws {
    #expect(HTTPDate.format(Timestamp(seconds: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.format(Timestamp(seconds: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    #expect(HTTPDate.format(Timestamp(seconds: 253_402_300_800)) == nil)
    var random = SeededRandom(seed: 6)
    for _ in 0..<2000 {
      let instant = Timestamp(seconds: Int64.random(in: -62_135_596_800..<253_402_300_800, using: &random))
      let text = try #require(HTTPDate.format(instant))
      #expect(HTTPDate.parse(text, now: now) == instant, "\(text)")
    }
  }

  @Test("Retry-After is in seconds, or a date by the server's own clock")
  func retryAfter() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let then = Timestamp(seconds: 784_111_777)
    #expect(RetryAfter.delay("120", now: now) == .seconds(120))
    #expect(RetryAfter.delay(" 0 ", now: now) == .zero)
    #expect(RetryAfter.delay(String(repeating: "9", count: 40), now: now) == .seconds(3_155_760_000))
    for text in ["-1", "1.5", "12s", "", "soon", "+1"] { #expect(RetryAfter.delay(text, now: now) == nil, "\(text)") }
    #expect(RetryAfter.delay(date, now: then.advanced(by: .seconds(-30))) == .seconds(30))
    #expect(RetryAfter.delay(date, now: then.advanced(by: .seconds(30))) == .zero)
    // The server's clock is almost thirty years behind ours.
    let fields: HTTPFields = [.retryAfter: date, .date: "Sun, 06 Nov 1994 08:49:07 GMT"]
    #expect(RetryAfter.delay(in: fields, now: now) == .seconds(30))
    #expect(RetryAfter.delay(in: [.retryAfter: "7"], now: now) == .seconds(7))
    #expect(RetryAfter.delay(in: [:], now: now) == nil)
  }
}
