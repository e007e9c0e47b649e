import Testing

@testable import PluginHost

@Suite("Waiting for the next message")
struct MessageWaitTests {
  /// A waiter in simulated time, in which each poll takes a microsecond.
  private struct Waiting {
    var wait = MessageWait()
    var looks = 0
    var sleeps = 0

    /// Waits once for a message that comes after this many nanoseconds.
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

  @Test("rare messages are never polled for")
  func slow() {
    var waiting = Waiting()
    for _ in 0..<100 { waiting.next(after: 10_000_000) }
    #expect(waiting.looks == 0)
    #expect(waiting.sleeps == 100)
  }

  @Test("the first of frequent messages is slept for, and the others are polled for")
  func brisk() {
    var waiting = Waiting()
    for _ in 0..<100 { waiting.next(after: 20_000) }
    #expect(waiting.sleeps == 1)
    #expect(waiting.looks == 99 * 20)
  }

  @Test("one failed poll in a long wait ends the polling")
  func end() {
    var waiting = Waiting()
    waiting.next(after: 20_000)
    waiting.next(after: 20_000)
    let before = waiting.looks
    for _ in 0..<100 { waiting.next(after: 10_000_000) }
    #expect(waiting.looks - before == MessageWait.look / 1000)
  }

  @Test("messages that always come a little too late are polled for ever more rarely")
  func vain() {
    var waiting = Waiting()
    for _ in 0..<10_000 { waiting.next(after: 100_000) }
    #expect(waiting.sleeps == 10_000)
    // 2 + 4 + … + 1024 waits separate the first polls, and 1024 all others.
    #expect(waiting.looks <= 20 * MessageWait.look / 1000)
  }

  @Test("polling for messages that become frequent again succeeds after as many polls as failed before")
  func again() {
    var waiting = Waiting()
    for _ in 0..<10_000 { waiting.next(after: 100_000) }
    for _ in 0..<3000 { waiting.next(after: 20_000) }
    let sleeps = waiting.sleeps
    for _ in 0..<100 { waiting.next(after: 20_000) }
    #expect(waiting.sleeps == sleeps)
  }
}
