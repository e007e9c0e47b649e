import Synchronization
import Testing
import Values

@testable import PluginHost

@Suite("Stopping instances")
struct StoppingTests {
  private let notes = #"""
    static void note(test_instance *me, const char *text) {
      logs->log(host, 0, PENSTOCK_INFO, (penstock_text){text, strlen(text)}, (penstock_text){NULL, 0});
    }
    """#

  @Test("stop receives the time that is left, and the instance's own end is kept")
  func stops() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = "#include <stdio.h>"
        $0.start = ""
        $0.stop = #"""
          char text[30];
          int length = snprintf(text, sizeof text, "%llu", (unsigned long long)nanoseconds);
          instances->complete(host, me->id, (penstock_text){text, length});
          """#
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.stop(grace: .milliseconds(1500))
    instance.stop(grace: .milliseconds(10))
    #expect(events.all == [.ended(1_500_000_000)])
    #expect(plugin.clock.alarmCount == 0)
    instance.destroy()
  }

  @Test("an instance that does not end is ended and destroyed after its grace period")
  func unresponsive() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = notes
        $0.start = ""
        $0.stop = "note(me, \"stop\");"
        $0.destroy = "note(me, \"destroy\");"
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.stop(grace: .seconds(10))
    plugin.clock.advance(by: .seconds(9.9))
    #expect(events.all == [])
    plugin.clock.advance(by: .seconds(0.1))
    let message = "operation 'echo' of plugin 'echo' did not end within 10s after it was asked to stop"
    #expect(events.all == [.failed("plugin-unresponsive", message)])
    #expect(
      plugin.log.lines == [
        "info echo: stop", "warning echo: \(message); the host no longer waits for it", "info echo: destroy",
      ])
    instance.destroy()
    #expect(plugin.log.lines.count == 3)
  }

  @Test("an instance that hangs in start ends after its grace period, and is destroyed once start has returned")
  func hanging() async throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = notes + "\n#include <unistd.h>\nstatic int ends[2];"
        $0.open = "if (pipe(ends) != 0) return PENSTOCK_FAILED;"
        $0.offers = [
          #"{"kind": "operation", "id": "echo", "summary": "hangs"}"#,
          #"{"kind": "operation", "id": "echo.release", "summary": "lets the other go on"}"#,
        ]
        $0.start = #"""
          char byte = 0;
          if (strcmp(me->offer, "echo") == 0) {
            note(me, "hangs");
            if (read(ends[0], &byte, 1) != 1) abort();
            note(me, "goes on");
          } else {
            if (write(ends[1], &byte, 1) != 1) abort();
            instances->complete(host, me->id, PENSTOCK_TEXT("1"));
          }
          """#
        $0.stop = "abort();"
        $0.destroy = #"note(me, me->offer);"#
      })
    let events = RecordedEvents()
    let instance = try plugin.create("echo", events: events)
    let thread = TestThread { instance.start([:]) }
    await plugin.log.wait(for: "hangs")
    instance.stop(grace: .seconds(1))
    plugin.clock.advance(by: .seconds(1))
    #expect(events.failure == "plugin-unresponsive")
    #expect(!plugin.log.lines.contains("info echo: echo"))
    let releaser = try plugin.create("echo.release", events: RecordedEvents())
    releaser.start([:])
    releaser.destroy()
    await thread.wait()
    // The releaser's own end is reported on this thread, before or after.
    #expect(
      plugin.log.lines.filter { $0 != "info echo: echo.release" } == [
        "info echo: hangs",
        "warning echo: operation 'echo' of plugin 'echo' did not end within 1s after it was asked to stop; the host no longer waits for it",
        "info echo: goes on", "info echo: echo",
      ])
  }

  @Test("an end that comes after the host's is refused without a report")
  func late() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.start = ""
        $0.stop = ""
        $0.destroy = #"if (instances->complete(host, me->id, PENSTOCK_TEXT("1")) != PENSTOCK_ENDED) abort();"#
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.destroy()
    #expect(events.all == [])
    #expect(plugin.log.lines == [])
  }

  @Test("an owner may destroy the instance from within each event", arguments: 0..<4)
  func destroyWithin(index: Int) throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = notes
        $0.start = #"""
          instances->progress(host, me->id, PENSTOCK_TEXT("{}"));
          logs->log(host, me->id, PENSTOCK_INFO, PENSTOCK_TEXT("line"), (penstock_text){NULL, 0});
          instances->progress(host, me->id, PENSTOCK_TEXT("{}"));
          instances->complete(host, me->id, PENSTOCK_TEXT("1"));
          note(me, "start is over");
          """#
        $0.destroy = "note(me, \"destroyed\");"
      })
    let slot = Mutex<(any PluginInstance)?>(nil)
    let count = Mutex(0)
    let events = RecordedEvents { _ in
      if count.withLock({
        $0 += 1; return $0 - 1
      }) == index {
        slot.withLock { $0.take() }?.destroy()
      }
    }
    let instance = try plugin.create(events: events)
    slot.withLock { $0 = instance }
    instance.start([:])
    #expect(events.all.count == index + 1)
    // Destroyed after `start`, which was still running.
    #expect(plugin.log.lines.suffix(2) == ["info echo: start is over", "info echo: destroyed"])
  }

  @Test("an instance that is stopped and destroyed at any moment ends at most once")
  func anyMoment() async throws {
    let plugin = try LoadedTestPlugin(TestPlugin.Source.threaded)
    for round in 0..<200 {
      let events = RecordedEvents()
      let instance = try plugin.create(events: events)
      instance.start([:])
      // The scheduler determines how far the plugin's thread is by then.
      for _ in 0..<(round * 20) { _ = events.overlaps }
      if round % 3 != 0 { instance.stop(grace: .seconds(1000)) }
      if round % 3 == 1 { _ = await events.waitForEnd() }
      instance.destroy()
      #expect(events.ends.count <= 1)
      #expect(events.overlaps == 0)
    }
    await plugin.connection.close()
    #expect(plugin.log.lines == [])
  }
}

extension TestPlugin.Source {
  /// An operation that reports a hundred numbers on its own thread and then completes, or fails once it is stopped. `destroy` waits for the thread.
  static var threaded: Self {
    Self(id: "threaded") {
      $0.members = "pthread_t thread; _Atomic int isStopped; int hasThread;"
      $0.preamble = #"""
        #include <pthread.h>
        #include <stdatomic.h>
        #include <stdio.h>
        static void *work(void *argument) {
          test_instance *me = argument;
          for (int i = 0; i < 100 && !me->isStopped; i++) {
            char text[40];
            int length = snprintf(text, sizeof text, "{\"fraction\":%d}", i);
            instances->progress(host, me->id, (penstock_text){text, length});
          }
          if (me->isStopped)
            instances->fail(host, me->id, PENSTOCK_TEXT("{\"code\":\"cancelled\",\"message\":\"stopped\"}"));
          else
            instances->complete(host, me->id, PENSTOCK_TEXT("100"));
          return NULL;
        }
        """#
      $0.start = "if (pthread_create(&me->thread, NULL, work, me) != 0) abort(); me->hasThread = 1;"
      $0.stop = "me->isStopped = 1;"
      $0.destroy = "me->isStopped = 1; if (me->hasThread) pthread_join(me->thread, NULL);"
    }
  }
}
