import Testing
import Values

@testable import PluginHost

/// A call of a plugin that does not return keeps its child from hearing anything; that must cost nobody but its own attempt.
@Suite("Children that do not hear", .timeLimit(.minutes(2)))
struct StuckChildTests {
  private static let busy = TestPlugin.Source(id: "busy") {
    $0.preamble = """
      #include <unistd.h>
      static const penstock_text line = {"flood", 5}, nothing = {NULL, 0};
      """
    $0.members = "int hangs;"
    $0.start = """
      if (says(input, "flood")) for (;;) logs->log(host, me->id, PENSTOCK_INFO, line, nothing);
      if (says(input, "lines")) for (int i = 0; i < 1000; i++) logs->log(host, 0, PENSTOCK_INFO, line, nothing);
      if (says(input, "hang")) me->hangs = 1;
      if (says(input, "memory")) {
        while (malloc(1 << 20) != NULL) continue;
        instances->complete(host, me->id, nothing);
        return;
      }
      instances->complete(host, me->id, input);
      """
    $0.destroy = "if (me->hangs) for (;;) pause();"
  }

  private let clock = WatchedClock()

  private func plugin() throws -> IsolatedTestPlugin { try IsolatedTestPlugin(Self.busy, clock: clock) }

  @Test("a flood of lines keeps nobody from ending an instance in time, and the child ends with it")
  func flood() async throws {
    let plugin = try plugin()
    let events = RecordedEvents()
    let instance = try plugin.start(input: ["requirement": "flood"], events: events)
    await events.wait { !$0.isEmpty }
    instance.stop(grace: .seconds(2))
    await clock.begins(.seconds(3))
    clock.advance(by: .seconds(3))
    let end = await events.waitForEnd()
    let message = "'busy' of plugin 'busy' did not end within 2s after it was asked to"
    #expect(end == .failed("plugin-unresponsive", message))
    instance.destroy()
    // Nothing of it is left that the next attempt could wait for.
    let next = RecordedEvents()
    try plugin.start(input: ["requirement": 1], events: next)
    let nextEnd = await next.waitForEnd()
    #expect(nextEnd == .ended(["requirement": 1]))
    await plugin.connection.close()
    #expect(plugin.log.lines == [])
  }

  @Test("lines that belong to no instance are counted, not told, when there are too many")
  func lines() async throws {
    let plugin = try plugin()
    let events = RecordedEvents()
    try plugin.start(input: ["requirement": "lines"], events: events)
    _ = await events.waitForEnd()
    await plugin.connection.close()
    let told = Array(repeating: "info child: flood", count: 200)
    // On a busy machine the plugin needs longer for all that than the 50 ms it has, and that it did is one line more.
    let rest = [800, 801].map {
      "info child: … and \($0) more lines, left out because there were more than 200 in a second"
    }
    #expect(plugin.log.lines.dropLast() == told[...])
    #expect(rest.contains(plugin.log.lines.last ?? ""))
  }

  @Test("an operation that no child begins with fails, and does not go round for ever")
  func goesRound() async throws {
    // Each child says that a call does not return in it, and that it had begun with nothing.
    let bytes = ChildMessage.stuck(begun: []).bytes.map { String($0) }.joined(separator: ", ")
    let source = TestPlugin.Source(id: "round") {
      $0.preamble = "#include <unistd.h>"
      $0.start = """
        static const unsigned char stuck[] = {\(bytes)};
        if (write(3, stuck, sizeof stuck) < 0) _exit(1);
        """
    }
    let plugin = try IsolatedTestPlugin(source, clock: clock)
    let events = RecordedEvents()
    try plugin.start(input: [:], events: events)
    let message =
      "'round' was handed on from one child host to the next 5 times: calls of plugin 'round' do not return"
    let end = await events.waitForEnd()
    #expect(end == .failed("plugin-unresponsive", message))
    await plugin.connection.close()
  }

  @Test("a child without any memory left still ends when it is asked to")
  func memory() async throws {
    let limits = PluginReference.Limits(memory: 64 << 20)
    let plugin = try IsolatedTestPlugin(Self.busy, clock: clock, limits: limits)
    let events = RecordedEvents()
    try plugin.start(input: ["requirement": "memory"], events: events)
    _ = await events.waitForEnd()
    // The clock stands still: nothing may have to wait for its limits.
    await plugin.connection.close()
  }

  @Test("what comes after an operation whose 'destroy' hangs is run by another child, once")
  func hangingDestroy() async throws {
    let plugin = try plugin()
    let (hanging, next) = (RecordedEvents(), RecordedEvents())
    let instance = try plugin.start(input: ["requirement": "hang"], events: hanging)
    let end = await hanging.waitForEnd()
    #expect(end == .ended(["requirement": "hang"]))
    instance.destroy()
    try plugin.start(input: ["requirement": 1], events: next)
    let nextEnd = await next.waitForEnd()
    #expect(nextEnd == .ended(["requirement": 1]))
    #expect(next.all.count == 1)
    async let closed: Void = plugin.connection.close()
    // The one that hangs does not hear that it is to end, so a signal says it.
    await clock.begins(.seconds(3))
    clock.advance(by: .seconds(3))
    await closed
  }
}
