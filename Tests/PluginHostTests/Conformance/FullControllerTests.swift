import Testing
import Values

@testable import PluginHost

@Suite("A controller whose pipeline cannot keep up")
struct FullControllerTests {
  typealias Isolation = PluginReference.Isolation

  /// Returns a controller that yields 1,005 reruns and 2 with an instant in its start, and 5 more in its stop, and logs how many of each were kept
  /// and refused.
  private func source(_ description: String) -> TestPlugin.Source {
    .controller("eager") {
      $0.offers = [#"{"kind": "controller", "id": "eager", "summary": "s"\#(description)}"#]
      $0.preamble = #"""
        #include <stdio.h>
        static void tell(test_instance *me, int count, const char *event) {
          int kept = 0, refused = 0;
          for (int at = 0; at < count; at++) {
            penstock_status status = controllers->yield_rerun(host, me->id, (penstock_text){event, strlen(event)});
            kept += status == PENSTOCK_OK;
            refused += status == PENSTOCK_FULL;
          }
          char line[80];
          int length = snprintf(line, sizeof line, "%d kept, %d refused", kept, refused);
          logs->log(host, me->id, PENSTOCK_INFO, (penstock_text){line, (size_t)length}, PENSTOCK_TEXT(""));
        }
        """#
      $0.start = #"""
        tell(me, PENSTOCK_MOST_WAITING + 5, "{}");
        tell(me, 2, "{\"instant\": \"2026-01-31T08:00:00Z\"}");
        """#
      $0.stop = #"tell(me, 5, "{}"); instances->complete(host, me->id, PENSTOCK_TEXT(""));"#
    }
  }

  private func lines(
    _ isolation: Isolation, _ description: String = "", keepsSignals: Bool = true, settled: Int = 0
  ) async throws -> (lines: [String], reruns: Int, log: [String]) {
    let plugin = try ConformingPlugin(isolation, source(description))
    let events = RecordedEvents(keepsSignals: keepsSignals)
    let instance = try plugin.create(events: events)
    instance.start([:])
    await events.wait { $0.contains { if case .logged(_, "2 kept, 0 refused", _) = $0 { true } else { false } } }
    if settled > 0 { instance.settled(settled) }
    instance.stop(grace: .seconds(10))
    _ = await events.waitForEnd()
    instance.destroy()
    await plugin.connection.close()
    var (lines, log, reruns): ([String], [String], Int) = ([], [], 0)
    for event in events.all {
      if case .logged(let level, let line, _) = event {
        if level == .warning { log.append(line) } else { lines.append(line) }
      }
      if case .yielded(.rerun) = event { reruns += 1 }
    }
    // On a busy machine, a call may take so long that it is reported, which is not tested here.
    return (lines, reruns, log + plugin.log.lines.filter { !$0.contains("it must return at once") })
  }

  @Test("it is notified when the queue is full, and everything answered with OK is kept", arguments: Isolation.allCases)
  func full(isolation: Isolation) async throws {
    let (lines, reruns, log) = try await lines(isolation, settled: 5)
    // The two with an instant exceed the others' limit: of the five free places, three are left.
    #expect(lines == ["1000 kept, 5 refused", "2 kept, 0 refused", "3 kept, 2 refused"])
    #expect(reruns == 1005)
    #expect(
      log == [
        "rejecting states and reruns: the queue is full because the pipeline cannot keep up",
        "rejected 5 states or reruns while the queue was full",
        "rejecting states and reruns: the queue is full because the pipeline cannot keep up",
      ])
  }

  @Test("a controller whose newest signal may replace the oldest is never full", arguments: Isolation.allCases)
  func replacing(isolation: Isolation) async throws {
    let (lines, reruns, log) = try await lines(isolation, #", "when_full": "replace""#)
    #expect(lines == ["1005 kept, 0 refused", "2 kept, 0 refused", "5 kept, 0 refused"])
    #expect(reruns == 1012)
    #expect(log == [])
  }

  @Test("a controller whose owner takes everything at once is never full", arguments: Isolation.allCases)
  func takenAtOnce(isolation: Isolation) async throws {
    let (lines, _, log) = try await lines(isolation, keepsSignals: false)
    #expect(lines == ["1005 kept, 0 refused", "2 kept, 0 refused", "5 kept, 0 refused"])
    #expect(log == [])
  }

  @Test("the limit for reruns with an instant matches the header, and taken ones make room")
  func instants() {
    var waiting = WaitingSignals()
    let kept = (0..<PluginOffer.mostWaitingInstants).filter { _ in waiting.add(hasInstant: true).isKept }.count
    #expect(kept == PluginOffer.mostWaitingInstants)
    let refusals = (0..<2).map { _ in waiting.add(hasInstant: true) }
    #expect(refusals.map(\.isKept) == [false, false])
    #expect(refusals.map(\.isFirstRefused) == [true, false])
    let none = waiting.settle(1)
    let another = waiting.add(hasInstant: true).isKept
    let refused = waiting.settle(PluginOffer.mostWaitingInstants)
    let plain = waiting.add(hasInstant: false).isKept
    #expect(none == 0 && another && refused == 2 && plain)
  }

  @Test("large reruns count as many, so that those that wait take at most 64 MiB", arguments: Isolation.allCases)
  func large(isolation: Isolation) async throws {
    let source = TestPlugin.Source.controller("eager") {
      $0.offers = [#"{"kind": "controller", "id": "eager", "summary": "s"}"#]
      $0.preamble = "#include <stdio.h>"
      $0.start = #"""
        size_t length = 8 << 20;
        char *event = malloc(length);
        memset(event, 'x', length);
        memcpy(event, "{\"reason\":\"", 11);
        memcpy(event + length - 2, "\"}", 2);
        int kept = 0;
        while (controllers->yield_rerun(host, me->id, (penstock_text){event, length}) == PENSTOCK_OK) kept++;
        free(event);
        char line[80];
        int count = snprintf(line, sizeof line, "%d kept", kept);
        logs->log(host, me->id, PENSTOCK_INFO, (penstock_text){line, (size_t)count}, PENSTOCK_TEXT(""));
        """#
      $0.stop = #"instances->complete(host, me->id, PENSTOCK_TEXT(""));"#
    }
    let plugin = try ConformingPlugin(isolation, source)
    let events = RecordedEvents(keepsSignals: true)
    let instance = try plugin.create(events: events)
    instance.start([:])
    await events.wait { $0.contains { if case .logged(_, "8 kept", _) = $0 { true } else { false } } }
    instance.stop(grace: .seconds(10))
    _ = await events.waitForEnd()
    instance.destroy()
    await plugin.connection.close()
  }

  @Test("a signal that is small counts as one, and one with an instant as more the larger it is")
  func weights() {
    let text = JSONValue.string(String(repeating: "x", count: 1 << 20))
    #expect(PluginSignal.state(.string("x")).weight == 1)
    #expect(PluginSignal.rerun(["instant": "2026-01-31T08:00:00Z", "reason": "cron"]).weight == 1)
    #expect(PluginSignal.state(text).weight == 15)
    #expect(PluginSignal.rerun(["instant": "2026-01-31T08:00:00Z", "reason": text]).weight == 1562)
  }
}
