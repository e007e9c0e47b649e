import Testing
import Values

@testable import PluginHost

@Suite("Timers of plugins")
struct TimerTests {
  /// Returns a plugin with timers: `set(me, seconds)` sets one, which logs how it ends.
  private func source(_ start: String, _ change: (inout TestPlugin.Source) -> Void = { _ in }) -> TestPlugin.Source {
    TestPlugin.Source {
      $0.members = "uint64_t timer; int isBusy;"
      $0.preamble = #"""
        static void note(test_instance *me, const char *text) {
          logs->log(host, me->id, PENSTOCK_INFO, (penstock_text){text, strlen(text)}, (penstock_text){NULL, 0});
        }
        static void fire(void *context, penstock_status status) {
          test_instance *me = context;
          if (me->isBusy) abort();
          note(me, status == PENSTOCK_OK ? "fired" : status == PENSTOCK_ENDED ? "ended" : "odd");
        }
        static void set(test_instance *me, int64_t seconds) {
          me->isBusy = 1;
          me->timer = clocks->timer(host, me->id, clocks->now(host) + seconds * 1000000000, fire, me);
          me->isBusy = 0;
        }
        """#
      $0.start = start
      change(&$0)
    }
  }

  @Test("a timer fires once when it is due")
  func fires() throws {
    let plugin = try LoadedTestPlugin(source("set(me, 60);"))
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    plugin.clock.advance(by: .seconds(59.9))
    #expect(events.all == [])
    plugin.clock.advance(by: .seconds(0.1))
    plugin.clock.advance(by: .seconds(100))
    #expect(events.all == [.logged(.info, "fired", nil)])
    instance.destroy()
    #expect(plugin.log.lines == [])
  }

  @Test("a timer for a past instant does not fire within the call that sets it")
  func past() throws {
    let plugin = try LoadedTestPlugin(source("set(me, -60);"))
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    #expect(events.all == [])
    plugin.clock.advance(by: .zero)
    #expect(events.all == [.logged(.info, "fired", nil)])
    instance.destroy()
  }

  @Test("setting the clock forward fires exactly the timers that are due by it")
  func jumps() throws {
    let plugin = try LoadedTestPlugin(source("set(me, 60); set(me, 7200);"))
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    let start = plugin.clock.now()
    plugin.clock.set(to: start + 59_000_000_000)
    #expect(events.all == [])
    plugin.clock.set(to: start + 60_000_000_000)
    #expect(events.all == [.logged(.info, "fired", nil)])
    instance.destroy()
  }

  @Test("setting the clock back delays no timer")
  func setBack() throws {
    let plugin = try LoadedTestPlugin(source("set(me, 60); set(me, 7200);"))
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    plugin.clock.advance(by: .seconds(20))
    plugin.clock.set(to: plugin.clock.now() - 3_600_000_000_000)
    plugin.clock.advance(by: .seconds(39))
    #expect(events.all == [])
    plugin.clock.advance(by: .seconds(1))
    #expect(events.all == [.logged(.info, "fired", nil)])
    // Once corrected, it is as if it had never been wrong.
    plugin.clock.set(to: plugin.clock.now() + 3_600_000_000_000)
    plugin.clock.advance(by: .seconds(7139))
    #expect(events.all.count == 1)
    plugin.clock.advance(by: .seconds(1))
    #expect(events.all.count == 2)
    instance.destroy()
  }

  @Test("a cancelled timer ends at once, and cancelling it again does nothing")
  func cancelled() throws {
    let plugin = try LoadedTestPlugin(
      source("set(me, 60);") {
        $0.stop = "clocks->cancel_timer(host, me->timer); clocks->cancel_timer(host, me->timer); note(me, \"stopped\");"
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.stop(grace: .seconds(1000))
    // Not from within `stop`: an instance's functions never run at the same time.
    #expect(events.all == [.logged(.info, "stopped", nil), .logged(.info, "ended", nil)])
    plugin.clock.advance(by: .seconds(100))
    #expect(events.all.count == 2)
    instance.destroy()
    #expect(plugin.clock.alarmCount == 0)
  }

  @Test("timers end before their instance is destroyed, and cannot set others")
  func destroyed() throws {
    let plugin = try LoadedTestPlugin(
      source("set(me, 60); set(me, 61);") {
        $0.preamble += """
          static void again(void *context, penstock_status status) {
            test_instance *me = context;
            note(me, "again");
            if (clocks->timer(host, me->id, 0, again, me) != 0) abort();
          }
          """
        $0.start += "clocks->timer(host, me->id, clocks->now(host) + 1000000000, again, me);"
        $0.destroy = #"note(me, "destroyed"); if (clocks->timer(host, me->id, 0, fire, me) != 0) abort();"#
      })
    let instance = try plugin.create(events: RecordedEvents())
    instance.start([:])
    instance.destroy()
    #expect(plugin.log.lines.sorted() == ["again", "destroyed", "ended", "ended"].map { "info echo: \($0)" })
    #expect(plugin.log.lines.last == "info echo: destroyed")
    #expect(plugin.clock.alarmCount == 0)
  }

  @Test("timers set by a create that fails end too")
  func failedCreate() throws {
    let plugin = try LoadedTestPlugin(
      source("") {
        $0.preamble += """
          static int answers;
          static void counted(void *context, penstock_status status) { answers += status == PENSTOCK_ENDED; }
          """
        $0.create = """
          clocks->timer(host, id, 0, counted, NULL);
          if (answers != 0) abort();
          free(me);
          return PENSTOCK_FAILED;
          """
        $0.close = #"if (answers == 1) logs->log(host, 0, 1, PENSTOCK_TEXT("one"), (penstock_text){NULL, 0});"#
      })
    _ = try plugin.create(events: RecordedEvents())
    plugin.connection.retire()
    #expect(plugin.log.lines == ["info echo: one"])
  }

  @Test("a timer without a function is refused")
  func noCallback() throws {
    let plugin = try LoadedTestPlugin(source("if (clocks->timer(host, me->id, 0, NULL, NULL) != 0) abort();"))
    let instance = try plugin.create(events: RecordedEvents())
    instance.start([:])
    instance.destroy()
    #expect(
      plugin.log.lines == [
        "warning echo: operation 'echo' of plugin 'echo' called 'timer' without a function to call back"
      ])
  }

  @Test("the clock that plugins see is the host's")
  func clock() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = "#include <stdio.h>"
        $0.start = #"""
          char text[80];
          int length = snprintf(text, sizeof text, "[%lld,%lld]", (long long)clocks->now(host), (long long)clocks->monotonic(host));
          instances->complete(host, me->id, (penstock_text){text, length});
          """#
      })
    plugin.clock.advance(by: .seconds(5))
    plugin.clock.set(to: 42)
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    #expect(events.all == [.ended([42, 5_000_000_000])])
    instance.destroy()
  }
}
