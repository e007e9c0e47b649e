import Testing

@testable import PluginHost

@Suite("The pause before a crashed child host is restarted")
struct RestartBackoffTests {
  @Test("it doubles from 100 ms to 30 s")
  func doubling() {
    var backoff = RestartBackoff()
    let pauses = (0..<12).map { _ in backoff.delay(afterBeingWell: nil) }
    #expect(
      pauses
        == [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000].map { .milliseconds($0) })
  }

  @Test("a minute without a crash resets it, and less does not")
  func reset() {
    var backoff = RestartBackoff()
    for _ in 0..<3 { _ = backoff.delay(afterBeingWell: .seconds(1)) }
    #expect(backoff.delay(afterBeingWell: .seconds(59)) == .milliseconds(800))
    #expect(backoff.delay(afterBeingWell: .seconds(60)) == .milliseconds(100))
    #expect(backoff.delay(afterBeingWell: nil) == .milliseconds(200))
  }
}
