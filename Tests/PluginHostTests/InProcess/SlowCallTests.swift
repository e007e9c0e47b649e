import Testing
import Values

@testable import PluginHost

@Suite("Calls of plugins that take long")
struct SlowCallTests {
  @Test("a call that took longer than 50 ms is reported by plugin, offer and function")
  func slow() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = "#include <unistd.h>"
        $0.create = "usleep(70000);"
        $0.destroy = "usleep(70000);"
      })
    let instance = try plugin.create(events: RecordedEvents())
    instance.start([:])
    // This one may take a second.
    instance.destroy()
    #expect(plugin.log.lines.count == 1)
    let line = plugin.log.lines.first ?? ""
    #expect(line.hasPrefix("warning echo: 'create' of operation 'echo' of plugin 'echo' took "))
    #expect(line.hasSuffix("ms; it must return at once, and do on a thread of its own what takes longer"))
  }

  @Test("a call that hangs is reported while it does, and again when it has returned")
  func hanging() async throws {
    var limits = CallWatchdog.Limits()
    limits.hanging = 60_000_000
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
    #expect(plugin.log.lines.count == 2)
    #expect(plugin.log.lines.last?.contains("'start' of operation 'echo' of plugin 'echo' took ") == true)
    instance.destroy()
  }

  @Test("the time of the one who is told is not the plugin's")
  func ownersTime() throws {
    let plugin = try LoadedTestPlugin(TestPlugin.Source())
    let clock = ContinuousClock()
    let events = RecordedEvents { _ in
      let end = clock.now + .milliseconds(80)
      while clock.now < end {}
    }
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.destroy()
    #expect(plugin.log.lines == [])
  }
}
