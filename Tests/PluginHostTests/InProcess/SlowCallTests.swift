import Glibc
import Testing
import Values

@testable import PluginHost

@Suite("Calls of plugins that take long")
struct SlowCallTests {
  /// Makes a call last by the clock that measures calls: on a machine whose processors are taken away for a while, that clock stands still for
  /// longer than a tick.
  private static let lasting = """
    #include <time.h>
    #include <unistd.h>
    static long long coarse(void) {
      struct timespec now;
      clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
      return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
    }
    static void last(int milliseconds) {
      long long end = coarse() + milliseconds;
      while (coarse() <= end) usleep(1000);
    }
    """

  @Test("a call that took longer than 50 ms is reported with its plugin, offer and function")
  func slow() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = Self.lasting
        $0.create = "last(70);"
        $0.destroy = "last(70);"
      }, limits: CallWatchdog.Limits(slowWhereLong: .max))
    // `destroy` may take longer.
    try plugin.create(events: RecordedEvents()).destroy()
    #expect(plugin.log.lines.count == 1)
    let line = plugin.log.lines.first ?? ""
    #expect(line.hasPrefix("warning echo: 'create' of operation 'echo' of plugin 'echo' took "))
    #expect(line.hasSuffix("ms; it must return at once and do longer work on a thread of its own"))
  }

  @Test("a hanging call is reported while it hangs, and again when it has returned")
  func hanging() async throws {
    let limits = CallWatchdog.Limits(slowWhereLong: .max, hanging: 60_000_000)
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = "#include <unistd.h>\nstatic int ends[2];"
        $0.open = "if (pipe(ends) != 0) return PENSTOCK_FAILED;"
        $0.start = "char byte; if (read(ends[0], &byte, 1) != 1) abort();"
        $0.create = "if (settings.length > 2 && write(ends[1], \"x\", 1) != 1) abort();"
      }, limits: limits)
    let instance = try plugin.create(events: RecordedEvents())
    let thread = TestThread { instance.start([:]) }
    await plugin.log.wait(for: "'start' of operation 'echo' of plugin 'echo' has not returned for")
    _ = try plugin.create(settings: ["go": 1], events: RecordedEvents())
    await thread.wait()
    #expect(plugin.log.lines.contains { $0.contains("'start' of operation 'echo' of plugin 'echo' took ") })
    #expect(plugin.log.lines.filter { $0.contains("has not returned") }.count == 1)
    instance.destroy()
  }

  @Test("a plugin whose calls are always slow does not fill the log")
  func slowEachTime() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = Self.lasting
        $0.start = "last(5);"
      }, limits: CallWatchdog.Limits(slow: 1_000_000, slowWhereLong: .max, hanging: .max))
    for _ in 0..<100 {
      let instance = try plugin.create(events: RecordedEvents())
      instance.start([:])
      instance.destroy()
    }
    let lines = plugin.log.lines.filter { $0.contains("'start'") }
    #expect(lines.count == 11)
    #expect(lines.last?.hasSuffix("(100 times so far)") == true)
  }

  @Test("the time that the event handler takes is not charged to the plugin")
  func ownersTime() throws {
    let limits = CallWatchdog.Limits(slow: 1_000_000_000, slowWhereLong: .max)
    let plugin = try LoadedTestPlugin(TestPlugin.Source(), limits: limits)
    let events = RecordedEvents { _ in usleep(1_100_000) }
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.destroy()
    #expect(plugin.log.lines == [])
  }
}
