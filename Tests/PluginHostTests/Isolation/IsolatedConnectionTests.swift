import Testing
import Values

@testable import PluginHost

@Suite("A plugin in a child host")
struct IsolatedConnectionTests {
  @Test("an operation returns its input")
  func roundTrip() async throws {
    let plugin = try IsolatedTestPlugin(TestPlugin.Source())
    let events = RecordedEvents()
    let instance = try plugin.start(input: ["requirement": [1, "zwei", 3.5]], events: events)
    #expect(await events.waitForEnd() == .ended(["requirement": [1, "zwei", 3.5]]))
    instance.destroy()
    await plugin.connection.close()
    #expect(events.all.count == 1)
    #expect(plugin.log.lines == [])
  }

  @Test("a segmentation fault costs the attempt, and the next one runs in another child")
  func crash() async throws {
    let clock = ManualPluginClock()
    let plugin = try IsolatedTestPlugin(
      TestPlugin.Source(id: "notify") {
        $0.start = """
          if (says(input, "crash")) { fprintf(stderr, "about to fall\\n"); raise(SIGSEGV); }
          instances->complete(host, me->id, input);
          """
        $0.preamble = "#include <stdio.h>\n#include <signal.h>"
      }, clock: clock)
    let first = RecordedEvents()
    try plugin.start(input: ["requirement": "crash"], events: first)
    let end = await first.waitForEnd()
    #expect(
      end
        == .failed(
          "plugin-crashed",
          "plugin 'notify' crashed: SIGSEGV while it ran 'notify'; its last output: about to fall"))
    let second = RecordedEvents()
    try plugin.start(input: ["requirement": "walk"], events: second)
    #expect(second.all == [])
    clock.advance(by: .milliseconds(100))
    #expect(await second.waitForEnd() == .ended(["requirement": "walk"]))
    await plugin.connection.close()
    #expect(plugin.log.lines.contains("info child: about to fall"))
  }
}
