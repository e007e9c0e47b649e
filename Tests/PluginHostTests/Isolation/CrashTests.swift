import Testing
import Values

@testable import PluginHost

@Suite("The cost of a child host's crash")
struct CrashTests {
  private let clock = WatchedClock()

  /// An operation that does what its input says, and a controller and a specification that report something when they start.
  private static let acts = TestPlugin.Source(id: "acts") {
    $0.offers = ["operation", "controller", "specification"].map {
      #"{"kind": "\#($0)", "id": "acts\#($0 == "operation" ? "" : ".\($0)")", "summary": "Acts"}"#
    }
    $0.preamble = """
      #include <stdio.h>
      #include <signal.h>
      #include <unistd.h>
      static void hang(void *context, penstock_status status) {
        test_instance *me = context;
        if (status != PENSTOCK_OK) return;
        instances->progress(host, me->id, PENSTOCK_TEXT("{}"));
        for (;;) pause();
      }
      static void hang_answered(void *context, penstock_status status, penstock_text value) { hang(context, status); }
      """
    $0.start = """
      if (strstr(me->offer, "controller")) { controllers->yield_state(host, me->id, PENSTOCK_TEXT("\\"here\\"")); return; }
      if (strstr(me->offer, "specification")) { specifications->changed(host, me->id, 1, PENSTOCK_TEXT("so")); return; }
      if (says(input, "fault")) { fprintf(stderr, "about to fall\\n"); *(volatile int *)8 = 1; }
      if (says(input, "raise")) raise(SIGSEGV);
      if (says(input, "abort")) abort();
      if (says(input, "leave")) { instances->complete(host, me->id, PENSTOCK_TEXT("\\"done\\"")); exit(3); }
      if (says(input, "exit")) { printf("bye\\n"); exit(3); }
      if (says(input, "disconnect")) close(3);
      if (says(input, "garbage")) write(3, "no frame at all, is it?", 23);
      if (says(input, "kill")) kill(getpid(), SIGKILL);
      if (says(input, "wait")) return;
      if (says(input, "hang")) for (;;) pause();
      /* After this has returned: it would be called by the thread that makes this call otherwise, the child's own. */
      if (says(input, "timer")) { clocks->timer(host, me->id, clocks->now(host) + 500000000, hang, me); return; }
      if (says(input, "secret")) {
        const penstock_secrets_service *secrets = host->service(host, PENSTOCK_SECRETS);
        secrets->get(host, me->id, PENSTOCK_TEXT("token"), hang_answered, me);
        return;
      }
      instances->complete(host, me->id, input);
      """
  }

  private func plugin() throws -> IsolatedTestPlugin { try IsolatedTestPlugin(Self.acts, clock: clock) }

  @Test(
    "each kind of crash is reported as what it was",
    arguments: [
      ("fault", "crashed: SIGSEGV while it ran 'acts'; its last output: about to fall"),
      ("raise", "crashed: SIGSEGV while it ran 'acts'"),
      ("abort", "crashed: SIGABRT while it ran 'acts'"),
      ("kill", "crashed: SIGKILL while it ran 'acts'"),
      ("exit", "exited with 3 while it ran 'acts'; its last output: bye"),
      ("garbage", "crashed: it sent a frame of unknown kind 114 while it ran 'acts'"),
    ])
  func ways(way: String, message: String) async throws {
    let plugin = try plugin()
    let events = RecordedEvents()
    try plugin.start("acts", input: ["requirement": .string(way)], events: events)
    let end = await events.waitForEnd()
    #expect(end == .failed("plugin-crashed", "plugin 'acts' \(message)"))
    #expect(plugin.log.lines.contains("error child: plugin 'acts' \(message); restarting in 100ms"))
    // The next attempt succeeds.
    let next = RecordedEvents()
    try plugin.start("acts", input: ["requirement": 1], events: next)
    clock.advance(by: .milliseconds(100))
    let nextEnd = await next.waitForEnd()
    #expect(nextEnd == .ended(["requirement": 1]))
    await plugin.connection.close()
  }

  @Test("a child that closes its connection is ended after a second")
  func disconnect() async throws {
    let plugin = try plugin()
    let events = RecordedEvents()
    try plugin.start("acts", input: ["requirement": "disconnect, hang"], events: events)
    await clock.begins(.seconds(1))
    clock.advance(by: .seconds(1))
    let end = await events.waitForEnd()
    #expect(
      end
        == .failed(
          "plugin-crashed",
          "plugin 'acts' crashed: it closed its connection to the host while it ran 'acts'"))
    await plugin.connection.close()
  }

  @Test("an instance that ended before the crash keeps its result")
  func resultBefore() async throws {
    let plugin = try plugin()
    let waiting = RecordedEvents()
    let leaving = RecordedEvents()
    try plugin.start("acts", input: ["requirement": "wait"], events: waiting)
    try plugin.start("acts", input: ["requirement": "leave"], events: leaving)
    let end = await leaving.waitForEnd()
    #expect(end == .ended("done"))
    let other = await waiting.waitForEnd()
    #expect(other == .failed("plugin-crashed", "plugin 'acts' exited with 3 while it ran 'acts'"))
    await plugin.connection.close()
  }

  @Test("controllers and specifications restart by themselves, and a specification is unknown meanwhile")
  func lasting() async throws {
    let plugin = try plugin()
    let (controller, specification, operation) = (RecordedEvents(), RecordedEvents(), RecordedEvents())
    try plugin.start("acts.controller", events: controller)
    try plugin.start("acts.specification", events: specification)
    await controller.wait { !$0.isEmpty }
    await specification.wait { !$0.isEmpty }
    try plugin.start("acts", input: ["requirement": "raise"], events: operation)
    _ = await operation.waitForEnd()
    clock.advance(by: .milliseconds(100))
    await controller.wait { $0.count == 4 }
    await specification.wait { $0.count == 3 }
    let message = "plugin 'acts' crashed: SIGSEGV while it ran 3 instances"
    #expect(
      controller.all == [
        .yielded(.state("here")), .interrupted(message, pause: .milliseconds(100)), .resumed,
        .yielded(.state("here")),
      ])
    #expect(
      specification.all == [
        .changed(true, "so"), .changed(nil, "plugin crashed: SIGSEGV; restarting in 100ms"), .changed(true, "so"),
      ])
    #expect(controller.overlaps + specification.overlaps == 0)
    await plugin.connection.close()
    #expect(specification.failure == "plugin-closed")
  }

  @Test("a child that does not answer two pings is ended")
  func hang() async throws {
    let plugin = try plugin()
    let events = RecordedEvents()
    try plugin.start("acts", input: ["requirement": "hang"], events: events)
    for look in 1...3 {
      await clock.begins(.seconds(5))
      #expect(events.all == [], "look \(look)")
      clock.advance(by: .seconds(5))
    }
    let end = await events.waitForEnd()
    #expect(
      end == .failed("plugin-unresponsive", "plugin 'acts' did not answer for more than 10s while it ran 'acts'"))
    await plugin.connection.close()
  }

  @Test(
    "a child that answers while a callback hangs on another thread is ended too",
    arguments: [("timer", "timer callback"), ("secret", "answer callback")])
  func hangingCallback(way: String, function: String) async throws {
    // With the system's clock, as nearly always: then timers have their own thread.
    let plugin = try IsolatedTestPlugin(Self.acts, clock: clock) { $0.pluginClock = SystemPluginClock.shared }
    let events = RecordedEvents()
    let access = PluginAccess(secrets: { _ async throws(PluginAccessError) in "geheim" })
    let others = (1...2).map { _ in RecordedEvents() }
    let instances = try others.map { try plugin.start("acts", input: ["requirement": "wait"], events: $0) }
    try plugin.start("acts", input: ["requirement": .string(way)], access: access, events: events)
    await events.wait { !$0.isEmpty }
    for look in 1...3 {
      await clock.begins(.seconds(5))
      #expect(events.all == [.progressed([:])], "look \(look)")
      clock.advance(by: .seconds(5))
      guard look < 3 else { break }
      // Its other instances work, and have received the earlier ping.
      instances[look - 1].stop(grace: .seconds(60))
      let end = await others[look - 1].waitForEnd()
      #expect(end == .ended(nil))
    }
    let end = await events.waitForEnd()
    let message =
      "plugin 'acts' hangs: '\(function)' of operation 'acts' did not return for more than 10s while it ran 'acts'"
    #expect(end == .failed("plugin-unresponsive", message))
    // The hang cost this attempt: the next one succeeds.
    let next = RecordedEvents()
    try plugin.start("acts", input: ["requirement": 1], events: next)
    clock.advance(by: .milliseconds(100))
    let nextEnd = await next.waitForEnd()
    #expect(nextEnd == .ended(["requirement": 1]))
    await plugin.connection.close()
  }

  @Test("a hanging child does not prevent its host from ending an instance in time")
  func stopHanging() async throws {
    let plugin = try plugin()
    let events = RecordedEvents()
    let instance = try plugin.start("acts", input: ["requirement": "hang"], events: events)
    instance.stop(grace: .seconds(2))
    await clock.begins(.seconds(3))
    clock.advance(by: .seconds(3))
    let end = await events.waitForEnd()
    #expect(
      end
        == .failed(
          "plugin-unresponsive", "'acts' of plugin 'acts' did not end within 2s after it was asked to stop"))
    instance.destroy()
    // It would not have read the request to end, so it was ended with its instance.
    await plugin.connection.close()
  }

  @Test("an operation that waits for a child can be stopped")
  func stopWaiting() async throws {
    let plugin = try plugin()
    let (first, second) = (RecordedEvents(), RecordedEvents())
    try plugin.start("acts", input: ["requirement": "raise"], events: first)
    _ = await first.waitForEnd()
    let instance = try plugin.start("acts", input: ["requirement": 2], events: second)
    instance.stop(grace: .seconds(1))
    let end = await second.waitForEnd()
    #expect(end == .failed("cancelled", "'acts' was stopped while plugin 'acts' was being started"))
    await plugin.connection.close()
  }

  @Test("a released instance reports nothing, whatever happens to its child")
  func destroyed() async throws {
    let plugin = try plugin()
    let (gone, crashing) = (RecordedEvents(), RecordedEvents())
    try plugin.start("acts", input: ["requirement": "wait"], events: gone).destroy()
    try plugin.start("acts", input: ["requirement": "raise"], events: crashing)
    let end = await crashing.waitForEnd()
    #expect(end == .failed("plugin-crashed", "plugin 'acts' crashed: SIGSEGV while it ran 'acts'"))
    await plugin.connection.close()
    #expect(gone.all == [])
  }
}
