import Testing
import Values

@testable import PluginHost

@Suite("Planned and left-out instants")
struct InstantsTests {
  /// Returns a controller and a specification that answer what the setting `say` says.
  private static func oracle(_ change: (inout TestPlugin.Source) -> Void = { _ in }) -> TestPlugin.Source {
    TestPlugin.Source(id: "oracle") {
      let settings = #""settings": [{"name": "say", "type": "string", "summary": "x"}]"#
      $0.offers = [
        #"{"kind": "controller", "id": "oracle", "summary": "Knows", \#(settings)}"#,
        #"{"kind": "specification", "id": "oracle.value", "summary": "Knows", \#(settings)}"#,
        #"{"kind": "operation", "id": "oracle.run", "summary": "Runs", \#(settings)}"#,
      ]
      $0.start = ""
      $0.preamble = #"""
        #include <stdio.h>
        #define ANSWER(json) take(context, PENSTOCK_TEXT(json))
        """#
      $0.tail = #"""
        static penstock_status between(
            void *instance, penstock_text input, int64_t after, int64_t until, uint32_t limit, penstock_take take, void *context) {
          test_instance *me = instance;
          if (says(me->settings, "nothing")) return PENSTOCK_UNAVAILABLE;
          if (says(me->settings, "badly")) return PENSTOCK_FAILED;
          if (says(me->settings, "silent")) return PENSTOCK_OK;
          if (says(me->settings, "garbage")) { ANSWER("hello"); return PENSTOCK_OK; }
          if (says(me->settings, "twice")) ANSWER("{}");
          if (says(me->settings, "list")) { ANSWER("[]"); return PENSTOCK_OK; }
          if (says(me->settings, "outside")) { ANSWER("{\"instants\":[{\"instant\":\"1960-01-01T00:00:00Z\"}]}"); return PENSTOCK_OK; }
          if (says(me->settings, "backwards")) {
            ANSWER("{\"instants\":[{\"instant\":\"1970-01-01T00:00:02Z\"},{\"instant\":\"1970-01-01T00:00:01Z\"}]}");
            return PENSTOCK_OK;
          }
          if (says(me->settings, "many")) {
            ANSWER("{\"instants\":[{\"instant\":\"1970-01-01T00:00:01Z\"},{\"instant\":\"1970-01-01T00:00:02Z\"},"
                   "{\"instant\":\"1970-01-01T00:00:03Z\"}]}");
            return PENSTOCK_OK;
          }
          if (says(me->settings, "lines")) {
            ANSWER("{\"instants\":[{\"instant\":\"1970-01-01T00:00:01Z\",\"note\":\"a\\nb\"}]}");
            return PENSTOCK_OK;
          }
          char text[300];
          int length = snprintf(text, sizeof text,
            "{\"zone\":\"%.*s %lld-%lld, %u\",\"instants\":[{\"instant\":\"1970-01-01T00:00:01.5Z\",\"local_time\":\"half past one\",\"value\":true,"
            "\"note\":\"so\"},{\"instant\":\"1970-01-01T00:00:02Z\",\"skipped\":true,\"value\":null}],\"more\":true}",
            (int)input.length, says(input, "\"") ? "" : input.bytes, (long long)after, (long long)until, limit);
          take(context, (penstock_text){text, length});
          return PENSTOCK_OK;
        }
        static const penstock_instants instants = {sizeof(penstock_instants), 0, between};
        static const void *knowing(penstock_text id) {
          return penstock_text_equals(id, PENSTOCK_INSTANTS) ? (const void *)&instants : capability(id);
        }
        """#
      $0.capabilityFunction = "knowing"
      change(&$0)
    }
  }

  private static let question = InstantsQuestion(after: 0, until: 9_000_000_000, limit: 2)

  private func answer(
    _ connection: any PluginConnection, _ id: String = "oracle", _ say: String = "all"
  ) throws(PluginFailure) -> PlannedInstants? {
    guard let offer = connection.description.offers.first(where: { $0.id == id }) else { return nil }
    return try connection.instants(of: offer, settings: ["say": .string(say)], Self.question)
  }

  /// Returns one connection in this process, and one to a child host.
  private func connections(_ source: TestPlugin.Source) throws -> [any PluginConnection] {
    [try LoadedTestPlugin(source).connection, try IsolatedTestPlugin(source).connection]
  }

  @Test("a plugin is asked without being started, in this process and in a child host")
  func answers() async throws {
    for connection in try connections(Self.oracle { $0.start = "abort();" }) {
      let expected = PlannedInstants(
        zone: "{} 0-9000000000, 2",
        instants: [
          PlannedInstant(microseconds: 1_500_000, localTime: "half past one", note: "so"),
          PlannedInstant(microseconds: 2_000_000, isSkipped: true),
        ], hasMore: true)
      #expect(try answer(connection) == expected)
      let values = try answer(connection, "oracle.value")?.instants
      #expect(values?.map(\.value) == [true, nil])
      #expect(try answer(connection, "oracle.run") == nil)
      #expect(try answer(connection, say: "nothing") == nil)
      await connection.close()
    }
  }

  private func answer(_ connection: any PluginConnection, say: String) throws(PluginFailure) -> PlannedInstants? {
    try answer(connection, "oracle", say)
  }

  @Test(
    "an invalid answer is reported, and affects nothing else",
    arguments: [
      ("badly", "could not report its next instants (status failed)"), ("silent", "answered nothing"),
      ("garbage", "with text that is not JSON"), ("twice", "answered 2 times"), ("list", #"has no list "instants""#),
      ("outside", "outside the requested range"), ("backwards", "after one that is not before it"),
      ("many", "has 3 instants, but at most 2 were requested"), ("lines", "is not one line"),
    ])
  func nonsense(_ say: String, _ reason: String) async throws {
    for connection in try connections(Self.oracle()) {
      let failure = #expect(throws: PluginFailure.self) { try answer(connection, say: say) }
      #expect(failure?.code == "malformed-plugin")
      #expect(failure?.message.contains(reason) == true, "\(failure?.message ?? "")")
      #expect(try answer(connection)?.instants.count == 2)
      await connection.close()
    }
  }

  @Test("a plugin of version 1.0 is not asked, even if it answers to the unknown capability")
  func older() async throws {
    let sources = [
      Self.oracle { $0.abiMinor = "0" },
      Self.oracle { $0.capabilityFunction = "capability" },
    ]
    for source in sources {
      for connection in try connections(source) {
        #expect(try answer(connection) == nil)
        await connection.close()
      }
    }
  }

  @Test("rejected settings are reported as such")
  func refusal() async throws {
    let source = Self.oracle {
      $0.create = #"""
        if (says(me->settings, "no")) {
          instances->fail(host, id, PENSTOCK_TEXT("{\"code\":\"no-good\",\"message\":\"say: it is wrong\"}"));
          return PENSTOCK_INVALID;
        }
        """#
    }
    for connection in try connections(source) {
      let failure = #expect(throws: PluginFailure.self) { try answer(connection, say: "no") }
      #expect(failure?.code == "no-good")
      await connection.close()
    }
  }

  // MARK: Left-out instants

  private static func leaving(_ json: String) -> TestPlugin.Source {
    .controller { $0.start = "controllers->left_out(host, me->id, PENSTOCK_TEXT(\"\(json)\"));" }
  }

  @Test("left-out instants reach the owner, in this process and from a child host")
  func leftOut() async throws {
    let json = #"{\"reason\":\"host-down\",\"instants\":[\"2026-01-31T08:00:00Z\",\"2026-01-31T09:00:00Z\"]}"#
    let told: JSONValue = [
      "reason": "host-down", "instants": ["2026-01-31T08:00:00Z", "2026-01-31T09:00:00Z"],
    ]
    for connection in try connections(Self.leaving(json)) {
      let events = RecordedEvents()
      let instance = connection.create(connection.description.offers[0], settings: [:], access: .none, events: events)
      instance.start([:])
      let all = await events.wait { !$0.isEmpty }
      #expect(all.first == .yielded(.leftOut(told)))
      instance.destroy()
      await connection.close()
    }
    let leftOut = try #require(PluginLeftOut(told))
    #expect(leftOut.reason == "host-down" && leftOut.weight == 2)
    #expect(leftOut.instants == [1_769_846_400_000_000, 1_769_850_000_000_000])
    let range = try #require(
      PluginLeftOut([
        "reason": "x", "first": "1970-01-01T00:00:01Z", "last": "1970-01-01T00:00:03Z", "count": 3,
      ]))
    #expect(range.range == PluginLeftOut.Range(first: 1_000_000, last: 3_000_000, count: 3))
    #expect(range.weight == 1)
  }

  @Test(
    "an invalid message is refused and reported",
    arguments: [
      (#"{}"#, "\"reason\""), (#"{\"reason\":\"A\"}"#, "\"reason\""),
      (#"{\"reason\":\"x\",\"instants\":[]}"#, "\"instants\""),
      (#"{\"reason\":\"x\",\"instants\":[\"noon\"]}"#, "is not a timestamp"),
      (#"{\"reason\":\"x\"}"#, "\"first\""),
      (
        #"{\"reason\":\"x\",\"first\":\"1970-01-01T00:00:02Z\",\"last\":\"1970-01-01T00:00:01Z\",\"count\":1}"#,
        "it is before"
      ),
      (
        #"{\"reason\":\"x\",\"first\":\"1970-01-01T00:00:01Z\",\"last\":\"1970-01-01T00:00:01Z\",\"count\":0}"#,
        "\"count\""
      ),
      (#"[]"#, "not an object"),
    ])
  func refused(_ json: String, _ reason: String) async throws {
    let plugin = try LoadedTestPlugin(Self.leaving(json))
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.destroy()
    #expect(events.all == [])
    #expect(plugin.log.lines.count == 1 && plugin.log.lines[0].contains(reason), "\(plugin.log.lines)")
  }

  @Test("a message lists at most 10,000 instants, and no more can be asked for at once")
  func most() {
    func leftOut(_ count: Int) -> PluginLeftOut? {
      PluginLeftOut([
        "reason": "x", "instants": .array(Array(repeating: "2026-01-31T08:00:00Z", count: count)),
      ])
    }
    #expect(leftOut(10_000)?.weight == 10_000)
    #expect(leftOut(10_001) == nil)
    #expect(InstantsQuestion(after: 0, until: 1, limit: 10_001).limit == 10_000)
    #expect(InstantsQuestion(after: 0, until: 1, limit: 0).limit == 1)
  }

  @Test("each left-out instant counts until it is taken, and a range counts as one")
  func weights() {
    var signals = WaitingSignals()
    for _ in 0..<9 { #expect(signals.add(hasInstant: true, weight: 10_000).isKept) }
    #expect(signals.add(hasInstant: true, weight: 9_999).isKept)
    #expect(signals.add(hasInstant: true, weight: 2) == (false, true))
    #expect(signals.add(hasInstant: true).isKept)
    #expect(!signals.add(hasInstant: true).isKept)
    #expect(!signals.add(hasInstant: false).isKept)
    _ = signals.settle(10_000)
    #expect(signals.add(hasInstant: true, weight: 10_000).isKept)
  }
}
