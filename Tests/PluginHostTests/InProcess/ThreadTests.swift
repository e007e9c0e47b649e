import Synchronization
import Testing
import Values

@testable import PluginHost

@Suite("Threads of plugins and of the host")
struct ThreadTests {
  @Test("events from a thread arrive in order, before the end")
  func ownThread() async throws {
    let plugin = try LoadedTestPlugin(TestPlugin.Source.threaded)
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    #expect(await events.waitForEnd() == .ended(100))
    #expect(events.all.dropLast() == (0..<100).map { .progressed(["fraction": .int($0)]) }[...])
    instance.destroy()
  }

  @Test("events from several threads are reported one at a time, each thread's in order")
  func manyThreads() async throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source.controller("many") {
        $0.members = "pthread_t threads[4]; _Atomic int left; _Atomic int next;"
        $0.preamble = #"""
          #include <pthread.h>
          #include <stdatomic.h>
          #include <stdio.h>
          static void *work(void *argument) {
            test_instance *me = argument;
            int number = me->next++;
            for (int i = 0; i < 500; i++) {
              char text[40];
              int length = snprintf(text, sizeof text, "[%d,%d]", number, i);
              if (controllers->yield_state(host, me->id, (penstock_text){text, length}) != PENSTOCK_OK) abort();
            }
            if (--me->left == 0) instances->complete(host, me->id, (penstock_text){NULL, 0});
            return NULL;
          }
          """#
        $0.start = #"""
          me->left = 4;
          for (int i = 0; i < 4; i++) pthread_create(&me->threads[i], NULL, work, me);
          """#
        $0.destroy = "for (int i = 0; i < 4; i++) pthread_join(me->threads[i], NULL);"
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    #expect(await events.waitForEnd() == .ended(nil))
    instance.destroy()
    #expect(events.overlaps == 0)
    var next = [Int64](repeating: 0, count: 4)
    for case .yielded(.state(let state)) in events.all {
      let thread = Int(try #require(state[0]?.intValue))
      #expect(state[1] == .int(next[thread]))
      next[thread] += 1
    }
    #expect(next == [500, 500, 500, 500])
  }

  /// Returns an operation that counts simultaneous calls.
  private func counting(_ threads: String) -> TestPlugin.Source {
    TestPlugin.Source(id: "counting") {
      $0.offers = [
        #"{"kind": "operation", "id": "counting", "summary": "s", "threads": "\#(threads)"}"#
      ]
      $0.preamble = #"""
        #include <sched.h>
        #include <stdatomic.h>
        static _Atomic int inside, most;
        static void enter(void) {
          int now = ++inside;
          if (now > most) most = now;
          for (int i = 0; i < 20; i++) sched_yield();
          inside--;
        }
        """#
      $0.create = "enter();"
      $0.start = "enter(); instances->complete(host, me->id, PENSTOCK_TEXT(\"1\"));"
      $0.destroy = "enter();"
      $0.close = #"if (most == 1) logs->log(host, 0, 1, PENSTOCK_TEXT("one at a time"), (penstock_text){NULL, 0});"#
    }
  }

  @Test("a plugin that does not support two calls at a time receives them one at a time, and none is lost")
  func pluginRule() async throws {
    let plugin = try LoadedTestPlugin(counting("plugin"))
    let offer = try plugin.offer()
    let recorders = (0..<4).map { _ in (0..<100).map { _ in RecordedEvents() } }
    let threads = recorders.map { recorders in
      TestThread {
        for events in recorders {
          let instance = plugin.connection.create(offer, settings: [:], access: .none, events: events)
          instance.start([:])
        }
      }
    }
    for thread in threads { await thread.wait() }
    for events in recorders.joined() { #expect(await events.waitForEnd() == .ended(1)) }
    await plugin.connection.close()
    #expect(plugin.log.lines == ["info counting: one at a time"])
  }

  @Test("calls of one instance from several threads are made one at a time")
  func instanceRule() async throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source(id: "counting") {
        $0.members = "int inside;"
        $0.preamble = "#include <sched.h>"
        let enter = """
          if (me->inside) abort();
          me->inside = 1;
          for (int i = 0; i < 200; i++) sched_yield();
          me->inside = 0;
          """
        $0.start = enter
        $0.stop = enter
        $0.destroy = enter
      })
    for _ in 0..<50 {
      let instance = try plugin.create(events: RecordedEvents())
      let threads = [
        TestThread { instance.start([:]) }, TestThread { instance.stop(grace: .seconds(1000)) },
        TestThread { instance.destroy() },
      ]
      for thread in threads { await thread.wait() }
    }
    await plugin.connection.close()
  }

  @Test("a call from within an event is made after the call that reported the event")
  func noRecursion() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = #"""
          static void note(const char *text) {
            logs->log(host, 0, PENSTOCK_INFO, (penstock_text){text, strlen(text)}, (penstock_text){NULL, 0});
          }
          """#
        $0.start = #"note("start"); instances->progress(host, me->id, PENSTOCK_TEXT("{}")); note("end of start");"#
        $0.stop = #"note("stop"); instances->complete(host, me->id, PENSTOCK_TEXT("1"));"#
        $0.destroy = #"note("destroy");"#
      })
    let slot = Mutex<(any PluginInstance)?>(nil)
    let events = RecordedEvents { event in
      if case .progressed = event { slot.withLock { $0 }?.stop(grace: .seconds(1)) }
      if case .ended = event { slot.withLock { $0.take() }?.destroy() }
    }
    let instance = try plugin.create(events: events)
    slot.withLock { $0 = instance }
    instance.start([:])
    #expect(plugin.log.lines == ["start", "end of start", "stop", "destroy"].map { "info echo: \($0)" })
    #expect(events.all == [.progressed([:]), .ended(1)])
  }

  @Test("two plugins are distinguished by their names")
  func twoPlugins() throws {
    let first = try LoadedTestPlugin(TestPlugin.Source(id: "first"))
    let second = try LoadedTestPlugin(
      TestPlugin.Source(id: "second") {
        $0.start = #"if (instances->complete(host, me->settings.bytes[6] - '0', PENSTOCK_TEXT("1")) != 4) abort();"#
      })
    let events = RecordedEvents()
    let victim = try first.create(events: events)
    // The id of the other plugin's instance means nothing here, even if it is guessed.
    let instance = try second.create(settings: ["id": 7], events: RecordedEvents())
    instance.start([:])
    instance.destroy()
    victim.destroy()
    #expect(events.all == [])
    #expect(first.log.lines == [])
    #expect(
      second.log.lines == ["warning second: plugin 'second' called 'complete' for an instance that never existed"])
  }
}
