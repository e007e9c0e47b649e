import Synchronization
import Testing
import Values

@testable import PluginHost

@Suite("The place of one plugin in a host")
struct PluginSeatTests {
  /// Returns a plugin that was loaded; its file no longer exists.
  private func plugin() throws -> Plugin {
    let hosted = try HostedTestPlugin(TestPlugin.Source(id: "seated"))
    return try withExtendedLifetime(hosted) { try hosted.host.plugin("seated") }
  }

  @Test("threads that arrive during a load wait, and receive the loaded plugin")
  func waiting() async throws {
    let (seat, plugin) = (PluginSeat(), try plugin())
    let (loading, mayEnd) = (AwaitedOutcome<Void, Never>(), AwaitedOutcome<Void, Never>())
    let formers = Mutex<[Plugin?]>([])
    let got = Mutex<[Plugin?]>([])
    let load: @Sendable (Plugin?) -> (Plugin, PluginReference) = { former in
      formers.withLock { $0.append(former) }
      if former == nil {
        loading.resume(with: .success(()))
        mayEnd.get()
      }
      return (plugin, PluginReference())
    }
    let first = TestThread {
      let loaded = try? seat.plugin(load)
      got.withLock { $0.append(loaded) }
    }
    loading.get()
    // The seat answers while code of the plugin runs.
    #expect(seat.loaded == nil)
    let others = (1...2).map { _ in
      TestThread {
        let loaded = try? seat.plugin(load)
        got.withLock { $0.append(loaded) }
      }
    }
    mayEnd.resume(with: .success(()))
    await first.wait()
    for other in others { await other.wait() }
    #expect(got.withLock { $0.map { $0 === plugin } } == [true, true, true])
    // Only the first found the seat empty.
    #expect(formers.withLock { $0.map { $0 === plugin } } == [false, true, true])
  }

  @Test("after a failure, the next thread retries")
  func failure() throws {
    let (seat, plugin) = (PluginSeat(), try plugin())
    #expect(throws: PluginError(.openFailed, "no")) {
      try seat.plugin { _ throws(PluginError) in throw PluginError(.openFailed, "no") }
    }
    #expect(try seat.plugin { _ in (plugin, PluginReference()) } === plugin)
  }

  @Test("a plugin that requests itself while it is loaded is refused instead of deadlocking")
  func itself() throws {
    let (seat, plugin) = (PluginSeat(), try plugin())
    let inner = Mutex<PluginError?>(nil)
    _ = try seat.plugin { (_) throws(PluginError) in
      do throws(PluginError) {
        _ = try seat.plugin { _ in (plugin, PluginReference()) }
      } catch {
        inner.withLock { $0 = error }
      }
      return (plugin, PluginReference())
    }
    #expect(inner.withLock { $0?.code } == .unresponsive)
  }
}
