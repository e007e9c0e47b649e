import Testing

@testable import PluginHost

@Suite("Waiting for the next message")
struct MessageWaitTests {
  /// Waits in a world where each look takes a microsecond.
  private struct Waiting {
    var wait = MessageWait()
    var looks = 0
    var sleeps = 0

    /// Waits once for what comes after so many nanoseconds.
    mutating func next(after time: Int64) {
      var now: Int64 = 0
      wait.wait(
        now: { now },
        look: {
          looks += 1
          now += 1000
          return now >= time ? () : nil
        },
        sleep: {
          sleeps += 1
          now = max(now, time)
        })
    }
  }

  @Test("what comes after a long time is never looked for")
  func slow() {
    var waiting = Waiting()
    for _ in 0..<100 { waiting.next(after: 10_000_000) }
    #expect(waiting.looks == 0)
    #expect(waiting.sleeps == 100)
  }

  @Test("what comes soon is slept for once, and looked for from then on")
  func brisk() {
    var waiting = Waiting()
    for _ in 0..<100 { waiting.next(after: 20_000) }
    #expect(waiting.sleeps == 1)
    #expect(waiting.looks == 99 * 20)
  }

  @Test("a long wait is looked for once, and ends the looking")
  func end() {
    var waiting = Waiting()
    waiting.next(after: 20_000)
    waiting.next(after: 20_000)
    let before = waiting.looks
    for _ in 0..<100 { waiting.next(after: 10_000_000) }
    #expect(waiting.looks - before == MessageWait.look / 1000)
  }

  @Test("what is always a little too late is looked for ever more rarely")
  func vain() {
    var waiting = Waiting()
    for _ in 0..<10_000 { waiting.next(after: 100_000) }
    #expect(waiting.sleeps == 10_000)
    // 2 + 4 + … + 1024 waits lie between the first looks, and 1024 between all others.
    #expect(waiting.looks <= 20 * MessageWait.look / 1000)
  }

  @Test("what comes soon again is found again, after as many looks as were in vain before")
  func again() {
    var waiting = Waiting()
    for _ in 0..<10_000 { waiting.next(after: 100_000) }
    for _ in 0..<3000 { waiting.next(after: 20_000) }
    let sleeps = waiting.sleeps
    for _ in 0..<100 { waiting.next(after: 20_000) }
    #expect(waiting.sleeps == sleeps)
  }
}
