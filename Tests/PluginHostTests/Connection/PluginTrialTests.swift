import Synchronization
import Testing
import Values

@testable import PluginHost

@Suite("Asking a plugin whether it accepts settings")
struct PluginTrialTests {
  /// A plugin that accepts everything unless told otherwise, and logs what happens to its instances.
  private static let judge = TestPlugin.Source(id: "judge") {
    let settings = #""settings": [{"name": "say", "type": "string", "summary": "x"}]"#
    $0.offers = [
      // An int, which a missing result does not match: a trial has no result.
      #"{"kind": "operation", "id": "judge", "summary": "Judges", "result": "int", \#(settings)}"#,
      #"{"kind": "controller", "id": "judge.controller", "summary": "Judges", \#(settings)}"#,
      #"{"kind": "specification", "id": "judge.specification", "summary": "Judges", \#(settings)}"#,
    ]
    $0.preamble = """
      #include <signal.h>
      #include <unistd.h>
      static void note(const char *word) {
        logs->log(host, 0, PENSTOCK_INFO, (penstock_text){word, strlen(word)}, (penstock_text){NULL, 0});
      }
      """
    $0.create = """
      if (says(me->settings, "raise")) raise(SIGSEGV);
      if (says(me->settings, "hang")) for (;;) pause();
      if (says(me->settings, "silent")) { free(me); return PENSTOCK_INVALID; }
      if (says(me->settings, "wrong")) {
        instances->fail(host, id, PENSTOCK_TEXT("{\\"code\\":\\"no-good\\",\\"message\\":\\"say: it is wrong\\","
          "\\"detail\\":{\\"setting\\":\\"say\\",\\"position\\":2,\\"length\\":3}}"));
        free(me);
        return PENSTOCK_INVALID;
      }
      note("created");
      """
    $0.start = #"note("started");"#
    $0.destroy = #"note("destroyed");"#
  }

  @Test("in this process, an instance is created and destroyed, and never started")
  func inProcess() throws {
    let plugin = try LoadedTestPlugin(Self.judge)
    for id in ["judge", "judge.controller", "judge.specification"] {
      #expect(plugin.connection.check(try plugin.offer(id), settings: ["say": "fine"]) == nil)
    }
    #expect(
      plugin.log.lines == Array(repeating: ["info judge: created", "info judge: destroyed"], count: 3).flatMap(\.self))
    let refusal = plugin.connection.check(try plugin.offer(), settings: ["say": "wrong"])
    #expect(refusal?.code == "no-good")
    #expect(refusal?.message == "say: it is wrong")
    #expect(refusal?.place == PluginFailure.Place(setting: "say", range: 1..<4))
    let silent = plugin.connection.check(try plugin.offer(), settings: ["say": "silent"])
    #expect(silent?.code == "plugin-settings")
  }

  @Test("in a child host, the same happens")
  func isolated() async throws {
    let plugin = try IsolatedTestPlugin(Self.judge, clock: WatchedClock())
    for id in ["judge", "judge.controller", "judge.specification"] {
      #expect(plugin.connection.check(try plugin.offer(id), settings: ["say": "fine"]) == nil)
    }
    let refusal = plugin.connection.check(try plugin.offer(), settings: ["say": "wrong"])
    #expect(refusal?.code == "no-good")
    #expect(refusal?.place == PluginFailure.Place(setting: "say", range: 1..<4))
    await plugin.connection.close()
    #expect(
      plugin.log.lines == Array(repeating: ["info child: created", "info child: destroyed"], count: 3).flatMap(\.self))
  }

  @Test("a crash while checking settings is reported to the caller, and the next question goes to another child")
  func crash() async throws {
    let clock = WatchedClock()
    let plugin = try IsolatedTestPlugin(Self.judge, clock: clock)
    let offer = try plugin.offer("judge.specification")
    let failure = plugin.connection.check(offer, settings: ["say": "raise"])
    #expect(failure?.code == "plugin-crashed")
    #expect(
      failure?.message == "plugin 'judge' crashed: SIGSEGV while it checked the settings of 'judge.specification'")
    #expect(!plugin.log.lines.contains { $0.contains("crashed") })
    clock.advance(by: .milliseconds(100))
    #expect(plugin.connection.check(offer, settings: ["say": "fine"]) == nil)
    await plugin.connection.close()
  }

  @Test("a child that does not answer is abandoned after ten seconds, and ended")
  func hang() async throws {
    let clock = WatchedClock()
    let plugin = try IsolatedTestPlugin(Self.judge, clock: clock)
    let (connection, offer) = (plugin.connection, try plugin.offer())
    let failures = RecordedFailures()
    let thread = TestThread { failures.note(connection.check(offer, settings: ["say": "hang"])) }
    await clock.begins(.seconds(10))
    clock.advance(by: .seconds(10))
    await thread.wait()
    #expect(failures.all.map(\.?.code) == ["plugin-unresponsive"])
    #expect(
      failures.all.first??.message == "plugin 'judge' did not report within 10s whether it accepts the settings")
    await plugin.connection.close()
  }

  @Test("a closed plugin reports that it is closed")
  func closed() async throws {
    let plugin = try LoadedTestPlugin(Self.judge)
    await plugin.connection.close()
    #expect(plugin.connection.check(try plugin.offer(), settings: [:])?.code == "plugin-closed")
  }
}

/// The results of checks.
private final class RecordedFailures: Sendable {
  private let failures = Mutex<[PluginFailure?]>([])

  var all: [PluginFailure?] { failures.withLock { $0 } }

  func note(_ failure: PluginFailure?) { failures.withLock { $0.append(failure) } }

  @Test("the place that a plugin gives for a problem is never trusted")
  func places() {
    let numbers: [JSONValue] = [
      .int(.max), .int(.min), .int(.max - 1), 0, -1, 1, 1_000_000, .int(1 << 24), .int(1 << 24 + 1), 3.5, 1e300, "x",
      .null,
    ]
    for position in numbers {
      for length in numbers {
        let detail: JSONValue = ["setting": "say", "position": position, "length": length]
        let place = PluginFailure(code: "no-good", message: "x", detail: detail).place
        #expect(place?.setting == "say")
        #expect(place?.range.map { $0.lowerBound >= 0 && $0.count <= 1 << 24 } != false)
      }
    }
    let whole: JSONValue = ["setting": "say", "position": .int(.max), "length": 2]
    #expect(PluginFailure(code: "no-good", message: "x", detail: whole).place == PluginFailure.Place(setting: "say"))
  }
}
