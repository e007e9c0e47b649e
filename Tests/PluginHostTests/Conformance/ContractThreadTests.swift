import Synchronization
import Testing
import Values

@testable import PluginHost

/// The rules of plugin.h under "Threads", wherever the plugin runs.
@Suite("Threads of the contract, in the process and in a child host")
struct ContractThreadTests {
  typealias Isolation = PluginReference.Isolation

  /// Returns an operation whose instances each have a thread, which `destroy` joins.
  private func threaded(_ threads: String) -> TestPlugin.Source {
    TestPlugin.Source(id: "threaded") {
      $0.offers = [#"{"kind": "operation", "id": "threaded", "summary": "s", "threads": "\#(threads)"}"#]
      $0.members = "pthread_t thread; int has_thread;"
      $0.preamble = """
        static _Thread_local int is_own;
        static void *work(void *argument) {
          test_instance *me = argument;
          is_own = 1;
          instances->complete(host, me->id, PENSTOCK_TEXT("1"));
          return NULL;
        }
        static void check(void) { if (is_own) abort(); }
        """
      $0.create = "check();"
      $0.start = """
        check();
        me->has_thread = pthread_create(&me->thread, NULL, work, me) == 0;
        if (!me->has_thread) abort();
        """
      $0.stop = "check();"
      $0.destroy = "check(); if (me->has_thread && pthread_join(me->thread, NULL) != 0) abort();"
    }
  }

  @Test(
    "no function of a plugin is called on the plugin's own threads, so 'destroy' may join them",
    arguments: Isolation.allCases, ["instance", "plugin"])
  func ownThreads(isolation: Isolation, threads: String) async throws {
    let plugin = try ConformingPlugin(isolation, threaded(threads))
    let offer = try plugin.offer()
    let tasks = (0..<4).map { _ in
      Task {
        var results: [RecordedEvents.Event?] = []
        for _ in 0..<50 {
          let slot = Mutex<(any PluginInstance)?>(nil)
          // The owner destroys the instance when notified of its end, on the thread that reports it.
          let events = RecordedEvents { event in
            if case .ended = event { slot.withLock { $0 }?.destroy() }
          }
          let instance = plugin.connection.create(offer, settings: [:], access: .none, events: events)
          slot.withLock { $0 = instance }
          instance.start([:])
          results.append(await events.waitForEnd())
          instance.destroy()
        }
        return results
      }
    }
    for task in tasks { #expect(await task.value == Array(repeating: .ended(1), count: 50)) }
    await plugin.connection.close()
    // A busy machine may preempt a call, which is then reported as slow, and in no other words.
    let slow = try Regex(
      "warning threaded: '(create|start|stop|destroy)' of operation 'threaded' of plugin 'threaded' took [0-9]+ms; "
        + "it must return at once and do longer work on a thread of its own")
    #expect(plugin.log.lines.filter { $0.wholeMatch(of: slow) == nil } == [])
  }

  @Test(
    "a call from the host calls no function of another instance before it returns", arguments: ["instance", "plugin"])
  func nothingNested(threads: String) async throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source(id: "nested") {
        $0.offers = [#"{"kind": "operation", "id": "nested", "summary": "s", "threads": "\#(threads)"}"#]
        $0.preamble = """
          static _Thread_local int depth;
          static void check(void) { if (depth) abort(); }
          """
        $0.create = "check();"
        $0.start = #"check(); depth = 1; instances->complete(host, me->id, PENSTOCK_TEXT("1")); depth = 0;"#
        $0.destroy = "check();"
      })
    let offer = try plugin.offer()
    let second = RecordedEvents()
    let first = RecordedEvents { event in
      guard case .ended = event else { return }
      plugin.connection.create(offer, settings: [:], access: .none, events: second).start([:])
    }
    try plugin.create(events: first).start([:])
    #expect(await second.waitForEnd() == .ended(1))
    await plugin.connection.close()
  }

  @Test("cancelling a timer calls its function once, and never from within the call", arguments: Isolation.allCases)
  func cancelledTimers(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source(id: "timers") {
        $0.members = "pthread_t thread; int has_thread; _Atomic int fired;"
        $0.preamble = """
          #include <stdatomic.h>
          #include <sched.h>
          static _Thread_local int is_own;
          static void fire(void *context, penstock_status status) {
            test_instance *me = context;
            if (is_own || status == PENSTOCK_OK) abort();
            me->fired++;
          }
          static void *work(void *argument) {
            test_instance *me = argument;
            is_own = 1;
            for (int round = 1; round <= 100; round++) {
              uint64_t timer = clocks->timer(host, me->id, INT64_MAX, fire, me);
              clocks->cancel_timer(host, timer);
              while (me->fired < round) sched_yield();
              clocks->cancel_timer(host, timer);
            }
            instances->complete(host, me->id, PENSTOCK_TEXT("1"));
            return NULL;
          }
          """
        $0.start = "me->has_thread = pthread_create(&me->thread, NULL, work, me) == 0;"
        $0.destroy = "if (me->has_thread) pthread_join(me->thread, NULL); if (me->fired != 100) abort();"
      })
    #expect(try await plugin.run().all == [.ended(1)])
    await plugin.connection.close()
    #expect(plugin.log.lines == [])
  }

  @Test("a plugin may hold its own lock while it ends an instance", arguments: Isolation.allCases)
  func heldLock(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source(id: "locked") {
        $0.preamble = """
          static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
          static void *work(void *argument) {
            pthread_mutex_lock(&lock);
            instances->complete(host, ((test_instance *)argument)->id, PENSTOCK_TEXT("1"));
            pthread_mutex_unlock(&lock);
            return NULL;
          }
          """
        $0.start = "pthread_t thread; pthread_create(&thread, NULL, work, me); pthread_detach(thread);"
        $0.destroy = "pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock);"
      })
    for _ in 0..<20 { #expect(try await plugin.run().all == [.ended(1)]) }
    await plugin.connection.close()
  }
}
