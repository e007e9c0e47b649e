import Synchronization
import Testing

@testable import PluginKitTesting

@Suite struct TestWaitersTests {
  /// Without the second evaluation, this never returns.
  @Test(.timeLimit(.minutes(1)))
  func whatBecomesTrueWhileItIsAskedIsSeen() async {
    let waiters = TestWaiters()
    let asked = Mutex(0)
    await waiters.wait {
      let count = asked.withLock { asked in
        asked += 1
        return asked
      }
      // Another thread makes it true, and calls `look()`, when the answer of this evaluation is already determined.
      if count == 1 { waiters.look() }
      return count > 1
    }
    #expect(asked.withLock { $0 } == 2)
  }

  @Test(.timeLimit(.minutes(1)))
  func whoIsCancelledWaitsNoLonger() async {
    let waiters = TestWaiters()
    let never = Task { await waiters.wait { false } }
    never.cancel()
    await never.value
  }
}
