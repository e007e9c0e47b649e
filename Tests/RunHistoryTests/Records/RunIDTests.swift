import Testing

@testable import RunHistory

@Suite("Run ids")
struct RunIDTests {
  @Test("are twelve characters that can be read back")
  func roundTrip() {
    for _ in 0..<1000 {
      let id = RunID.generate()
      #expect(id.text.count == 12)
      #expect(RunID(id.text) == id)
      #expect(RunID(id.text.uppercased()) == id)
    }
  }

  @Test("sort by the time of their creation, strictly within a process")
  func order() {
    let ids = (0..<5000).map { _ in RunID.generate() }
    #expect(ids.map(\.text) == ids.map(\.text).sorted())
    #expect(Set(ids).count == ids.count)
  }

  @Test("keep increasing when the clock is set back")
  func clockStepsBack() {
    var random = SystemRandomNumberGenerator()
    let first = RunID.generate()
    let second = RunID.generate(at: RecordTime.now.advanced(by: -3_600_000_000), using: &random)
    #expect(first < second)
  }

  @Test("contain their time to about a millisecond")
  func time() {
    var random = SystemRandomNumberGenerator()
    // Bypasses `generate`, whose ids always increase: other tests have generated ids with clocks that are ahead.
    let time = RecordTime.now
    let id = RunID(bits: RunID.bits(at: time, using: &random))
    #expect(abs(id.time.microseconds - time.microseconds) < 1000)
  }

  @Test(
    "reject any other text",
    arguments: [
      "", "last", "0123456789a", "0123456789abc", "0123456789ai", "0123456789a/", "../../../etc", "0123456789aé",
    ])
  func refused(text: String) {
    #expect(RunID(text) == nil)
  }

  @Test("begin with the seconds since 2024")
  func epoch() {
    #expect(RunID("000000000000")?.time.text == "2024-01-01T00:00:00.000Z")
    #expect(RunID("000001000000")?.time.text == "2024-01-01T00:00:01.000Z")
    #expect(RunID("000000g00000")?.time.text == "2024-01-01T00:00:00.500Z")
  }
}
