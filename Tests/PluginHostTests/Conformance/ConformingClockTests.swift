import Testing
import Values

@testable import PluginHost

/// If the host has its own clock, the plugin sees that clock, wherever it runs.
@Suite("The host's clock in the process and in a child host")
struct ConformingClockTests {
  typealias Isolation = PluginReference.Isolation

  private let clock = ManualPluginClock()
  private var start: Int64 { 1_767_225_600_000_000_000 }

  /// Returns a controller with functions that report timers to the host: `set(me, seconds)`, and `tell(me, "what")` with the current time.
  private func source(_ start: String, stop: String = "", _ change: (inout TestPlugin.Source) -> Void = { _ in })
    -> TestPlugin.Source
  {
    .controller {
      $0.preamble = """
        #include <stdio.h>
        static void tell(test_instance *me, const char *what) {
          char text[100];
          int length = snprintf(text, sizeof text, "[\\"%s\\",%lld]", what, (long long)clocks->now(host));
          controllers->yield_state(host, me->id, (penstock_text){text, (size_t)length});
        }
        static void fired(void *context, penstock_status status) {
          tell(context, status == PENSTOCK_OK ? "fired" : status == PENSTOCK_ENDED ? "ended" : "?");
        }
        static uint64_t set(test_instance *me, long seconds) {
          return clocks->timer(host, me->id, clocks->now(host) + seconds * 1000000000LL, fired, me);
        }
        """
      $0.start = start
      $0.stop = stop + "instances->complete(host, me->id, PENSTOCK_TEXT(\"\"));"
      change(&$0)
    }
  }

  private func told(_ what: String, after seconds: Int64) -> RecordedEvents.Event {
    .yielded(.state([.string(what), .int(start + seconds * 1_000_000_000)]))
  }

  @Test("it provides the plugin with the time, and with the elapsed time", arguments: Isolation.allCases)
  func readings(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.preamble = "#include <stdio.h>"
        $0.start = """
          char text[80];
          int length = snprintf(text, sizeof text, "[%lld,%lld]", (long long)clocks->now(host), (long long)clocks->monotonic(host));
          instances->complete(host, me->id, (penstock_text){text, (size_t)length});
          """
      }, clock: clock)
    clock.advance(by: .seconds(5))
    clock.set(to: 42)
    #expect(try await plugin.run().all == [.ended([42, 5_000_000_000])])
    clock.set(to: -42)
    #expect(try await plugin.run().all == [.ended([-42, 5_000_000_000])])
    await plugin.connection.close()
  }

  @Test("many threads of a plugin may read it at the same time", arguments: Isolation.allCases)
  func threads(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source(id: "asks") {
        $0.preamble = """
          #include <stdatomic.h>
          static _Atomic int left = 8;
          static _Atomic int wrong;
          static void *ask(void *context) {
            test_instance *me = context;
            for (int i = 0; i < 200; i++) {
              if (clocks->now(host) != 1767225600000000000LL) wrong++;
              if (clocks->monotonic(host) != 0) wrong++;
            }
            if (--left == 0) instances->complete(host, me->id, wrong ? PENSTOCK_TEXT("\\"wrong\\"") : PENSTOCK_TEXT("\\"right\\""));
            return NULL;
          }
          """
        $0.start = """
          for (int i = 0; i < 8; i++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, ask, me) != 0) abort();
            pthread_detach(thread);
          }
          """
      }, clock: clock)
    #expect(try await plugin.run().all == [.ended("right")])
    await plugin.connection.close()
  }

  @Test("timers fire when it reaches their instants, and not before", arguments: Isolation.allCases)
  func timers(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation, source("set(me, 60); set(me, 30); set(me, -1); tell(me, \"set\");"), clock: clock)
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    // A timer for a past instant fires too, after the call.
    await events.wait { $0.count == 1 }
    clock.advance(by: .zero)
    await events.wait { $0.count == 2 }
    clock.advance(by: .seconds(30))
    await events.wait { $0.count == 3 }
    clock.advance(by: .seconds(29))
    clock.advance(by: .seconds(1))
    await events.wait { $0.count == 4 }
    #expect(
      events.all == [
        told("set", after: 0), told("fired", after: 0), told("fired", after: 30), told("fired", after: 60),
      ])
    instance.destroy()
    await plugin.connection.close()
  }

  @Test("setting it forward fires due timers, and setting it back delays none", arguments: Isolation.allCases)
  func jumps(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation, source("set(me, 3600); set(me, 60); tell(me, \"set\");"), clock: clock)
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    await events.wait { $0.count == 1 }
    clock.set(to: start - 86_400_000_000_000)
    clock.advance(by: .seconds(60))
    await events.wait { $0.count == 2 }
    clock.set(to: start + 3_600_000_000_000)
    await events.wait { $0.count == 3 }
    #expect(
      events.all == [told("set", after: 0), told("fired", after: 60 - 86_400), told("fired", after: 3600)])
    instance.destroy()
    await plugin.connection.close()
  }

  @Test("a cancelled timer ends, and leaves nothing in the host", arguments: Isolation.allCases)
  func cancelled(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      source(
        "me->timer = set(me, 60); set(me, 90); tell(me, \"set\");", stop: "clocks->cancel_timer(host, me->timer); "
      ) {
        $0.members = "uint64_t timer;"
      }, clock: clock)
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    await events.wait { $0.count == 1 }
    #expect(clock.nextInstant == start + 60_000_000_000)
    instance.stop(grace: .seconds(10))
    _ = await events.waitForEnd()
    instance.destroy()
    // The second timer ends with the instance; a later instance's event comes after that.
    let second = RecordedEvents()
    let other = try plugin.create(events: second)
    other.start([:])
    await second.wait { !$0.isEmpty }
    // Its two timers, and the next ping of a child.
    #expect(clock.alarmCount == (isolation == .host ? 2 : 3))
    other.destroy()
    await plugin.connection.close()
    #expect(clock.nextInstant == nil)
  }

  @Test(
    "its limits use it too: an instance that does not end is ended after its grace", arguments: Isolation.allCases
  )
  func grace(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.start = #"instances->progress(host, me->id, PENSTOCK_TEXT("{}"));"#
        $0.stop = #"instances->progress(host, me->id, PENSTOCK_TEXT("{}"));"#
      }, clock: clock)
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    await events.wait { $0.count == 1 }
    instance.stop(grace: .seconds(3))
    await events.wait { $0.count == 2 }
    #expect(events.failure == nil)
    clock.advance(by: .seconds(3))
    _ = await events.waitForEnd()
    #expect(events.failure == "plugin-unresponsive")
    instance.destroy()
    await plugin.connection.close()
  }
}
