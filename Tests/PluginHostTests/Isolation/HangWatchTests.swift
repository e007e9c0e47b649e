import Testing

@testable import PluginHost

@Suite("Finding calls that hang")
struct HangWatchTests {
  private func call(_ start: Int64) -> CallWatchdog.CallKey {
    CallWatchdog.CallKey(slot: ObjectIdentifier(CallWatchdog.shared), start: start, function: .timer)
  }

  @Test("a call hangs if it is found at three pings in a row, and calls are counted separately")
  func looks() {
    var watch = HangWatch()
    #expect(watch.look([call(1): "a"]) == nil)
    #expect(watch.look([call(1): "a", call(2): "b"]) == nil)
    #expect(watch.look([call(2): "b"]) == nil)
    // The first call has returned; the present one is another call.
    #expect(watch.look([call(1): "a", call(2): "b"]) == "b")
    #expect(watch.look([:]) == nil)
    #expect(watch.look([call(2): "b"]) == nil)
  }

  @Test("of several hanging calls, the oldest is reported")
  func oldest() {
    var watch = HangWatch()
    let calls = [call(5): "later", call(3): "first", call(4): "second"]
    for _ in 1..<HangWatch.looks { #expect(watch.look(calls) == nil) }
    #expect(watch.look(calls) == "first")
  }
}
