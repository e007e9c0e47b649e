import Testing
import Values

@testable import PluginHost

/// A call of a plugin that does not return prevents its child from reading messages; that must cost only its own attempt.
@Suite("Children that do not read messages", .timeLimit(.minutes(2)))
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

  @Test("a flood of lines does not prevent an instance from being ended in time, and the child ends with it")
  func flood() async throws {
    let plugin = try plugin()
    let events = RecordedEvents()
    let instance = try plugin.start(input: ["requirement": "flood"], events: events)
    await events.wait { !$0.isEmpty }
    instance.stop(grace: .seconds(2))
    await clock.begins(.seconds(3))
    clock.advance(by: .seconds(3))
    let end = await events.waitForEnd()
    let message = "'busy' of plugin 'busy' did not end within 2s after it was asked to stop"
    #expect(end == .failed("plugin-unresponsive", message))
    instance.destroy()
    // Nothing is left of it that the next attempt would have to wait for.
    let next = RecordedEvents()
    try plugin.start(input: ["requirement": 1], events: next)
    let nextEnd = await next.waitForEnd()
    #expect(nextEnd == .ended(["requirement": 1]))
    await plugin.connection.close()
    #expect(plugin.log.lines == [])
  }

  @Test("too many lines that belong to no instance are counted rather than reported")
  func lines() async throws {
    let plugin = try plugin()
    let events = RecordedEvents()
    try plugin.start(input: ["requirement": "lines"], events: events)
    _ = await events.waitForEnd()
    await plugin.connection.close()
    let told = Array(repeating: "info child: flood", count: 200)
    // On a busy machine, the plugin's call may exceed its 50 ms, which adds a line to the log.
    let rest = [800, 801].map {
      "info child: … and \($0) more lines, dropped because there were more than 200 in a second"
    }
    #expect(plugin.log.lines.dropLast() == told[...])
    #expect(rest.contains(plugin.log.lines.last ?? ""))
  }

  @Test("an operation that no child begins fails, and is not passed on forever")
  func goesRound() async throws {
    // Each child reports that a call does not return, and that it has begun no instance.
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
      "'round' was moved to a new child host 5 times because calls of plugin 'round' do not return"
    let end = await events.waitForEnd()
    #expect(end == .failed("plugin-unresponsive", message))
    await plugin.connection.close()
  }

  @Test("a child without any memory left still ends when asked")
  func memory() async throws {
    let limits = PluginReference.Limits(memory: 64 << 20)
    let plugin = try IsolatedTestPlugin(Self.busy, clock: clock, limits: limits)
    let events = RecordedEvents()
    try plugin.start(input: ["requirement": "memory"], events: events)
    _ = await events.waitForEnd()
    // The clock stands still, so nothing may depend on time limits.
    await plugin.connection.close()
  }

  @Test("an operation that follows one whose 'destroy' hangs is run by another child, once")
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
    // The hanging child does not read the request to end, so it is sent a signal.
    await clock.begins(.seconds(3))
    clock.advance(by: .seconds(3))
    await closed
  }
}
