import Testing
import Values

@testable import PluginHost

@Suite("Settings and input by their keys")
struct ValuesServiceTests {
  typealias Isolation = PluginReference.Isolation

  /// Returns a plugin whose `create` and `start` make these calls, each of which records the status and the value.
  private func source(create: [String] = [], start: [String] = []) -> TestPlugin.Source {
    TestPlugin.Source(id: "values") {
      $0.members = "char notes[4000];"
      $0.preamble = #"""
        #include <stdio.h>
        static const penstock_values_service *values;
        static void note(test_instance *me, const char *text) {
          size_t used = strlen(me->notes);
          snprintf(me->notes + used, sizeof me->notes - used, "%s\"%s\"", used ? "," : "", text);
        }
        static void text(test_instance *me, int from, const char *key) {
          char line[300];
          penstock_text value = {NULL, 0};
          penstock_status status = values->text(host, me->id, from, key, &value);
          snprintf(line, sizeof line, "%d %.*s", status, (int)value.length, value.length ? value.bytes : "");
          note(me, line);
        }
        static void json(test_instance *me, int from, const char *key) {
          penstock_text value = {NULL, 0}, again = {NULL, 0};
          char line[300];
          penstock_status status = values->json(host, me->id, from, key, &value);
          values->json(host, me->id, from, key, &again);
          if (again.bytes != value.bytes) abort();
          for (size_t at = 0; at < value.length; at++) if (value.bytes[at] == '"') ((char *)value.bytes)[at] = '\'';
          snprintf(line, sizeof line, "%d %.*s", status, (int)value.length, value.length ? value.bytes : "");
          note(me, line);
        }
        #define NUMBER(name, type, format) \
          static void name(test_instance *me, int from, const char *key) { \
            char line[300]; \
            type value = 77; \
            penstock_status status = values->name(host, me->id, from, key, &value); \
            snprintf(line, sizeof line, "%d " format, status, value); \
            note(me, line); \
          }
        NUMBER(integer, int64_t, "%ld")
        NUMBER(number, double, "%g")
        NUMBER(boolean, int32_t, "%d")
        NUMBER(duration, int64_t, "%ld")
        NUMBER(size, int64_t, "%ld")
        NUMBER(instant, int64_t, "%ld")
        NUMBER(count, size_t, "%zu")
        static void all(void) { (void)text, (void)json, (void)integer, (void)number, (void)boolean, (void)duration, (void)size, (void)instant, (void)count; }
        """#
      $0.open = "values = host->service(host, PENSTOCK_VALUES); all();"
      $0.create = create.joined(separator: "\n")
      $0.start =
        start.joined(separator: "\n") + #"""
          char result[4100];
          int length = snprintf(result, sizeof result, "[%s]", me->notes);
          instances->complete(host, me->id, (penstock_text){result, (size_t)length});
          """#
    }
  }

  private let settings: JSONValue = [
    "place": "Grüße, \u{1F600}", "port": 8080, "share": 0.5, "is_on": true, "wait": "1m30s", "limit": "10MiB",
    "from": "2026-01-31T08:00:00.25Z", "nothing": .null, "empty": "",
    "hosts": [["name": "a", "ports": [1, 2]], ["name": "b"]],
  ]

  @Test("values can be read from 'create' on, each according to its type", arguments: Isolation.allCases)
  func types(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      source(create: [
        #"text(me, 0, "place");"#, #"text(me, 0, "empty");"#, #"integer(me, 0, "port");"#,
        #"number(me, 0, "share");"#, #"number(me, 0, "port");"#, #"boolean(me, 0, "is_on");"#,
        #"duration(me, 0, "wait");"#, #"size(me, 0, "limit");"#, #"instant(me, 0, "from");"#,
        #"count(me, 0, "hosts");"#,
        #"text(me, 0, "hosts[1].name");"#, #"integer(me, 0, "hosts[0].ports[1]");"#, #"json(me, 0, "hosts[0]");"#,
      ]))
    let events = try await plugin.run(settings: settings)
    #expect(
      events.all == [
        .ended([
          "0 Grüße, \u{1F600}", "0 ", "0 8080", "0 0.5", "0 8080", "0 1", "0 90000000000", "0 10485760",
          "0 1769846400250000000", "0 2", "0 b", "0 2", "0 {'name':'a','ports':[1,2]}",
        ])
      ])
    await plugin.connection.close()
  }

  @Test("missing values, wrong types and invalid paths are reported as such, and change nothing")
  func problems() async throws {
    let long = String(repeating: "x", count: 1025)
    let plugin = try ConformingPlugin(
      .host,
      source(create: [
        #"integer(me, 0, "missing");"#, #"integer(me, 0, "nothing");"#, #"integer(me, 0, "hosts[2]");"#,
        #"integer(me, 0, "hosts[0].nobody");"#, #"integer(me, 0, "place.x");"#,
        #"integer(me, 0, "place");"#, #"integer(me, 0, "share");"#, #"boolean(me, 0, "port");"#,
        #"duration(me, 0, "place");"#, #"size(me, 0, "place");"#, #"instant(me, 0, "wait");"#,
        #"count(me, 0, "port");"#,
        #"integer(me, 0, "hosts[");"#, #"integer(me, 0, "hosts[-1]");"#, #"integer(me, 0, ".port");"#,
        #"integer(me, 0, "hosts[0]name");"#, #"integer(me, 2, "port");"#, #"integer(me, 0, "\xff");"#,
        "integer(me, 0, NULL);", "integer(me, 0, \"\(long)\");", #"integer(me, 1, "attempt");"#,
      ]))
    let events = try await plugin.run(settings: settings)
    #expect(
      events.all == [
        .ended(
          .array(
            Array(repeating: "4 77", count: 5) + Array(repeating: "2 77", count: 15) + ["4 77"]))
      ])
    await plugin.connection.close()
  }

  @Test("the input can be read from 'start' on", arguments: Isolation.allCases)
  func input(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      source(start: [#"text(me, PENSTOCK_INPUT, "directory");"#, #"integer(me, PENSTOCK_INPUT, "requirement[0]");"#]))
    let events = try await plugin.run(input: ["directory": "/somewhere", "requirement": [7]])
    #expect(events.all == [.ended(["0 /somewhere", "0 7"])])
    await plugin.connection.close()
  }

  @Test("an instance that no longer exists has no values, and reading them is reported")
  func gone() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source(id: "late") {
        $0.preamble = "static penstock_id last; static const penstock_values_service *values;"
        $0.open = "values = host->service(host, PENSTOCK_VALUES);"
        $0.create = """
          int64_t value;
          if (last != 0 && values->integer(host, last, PENSTOCK_SETTINGS, "port", &value) != PENSTOCK_UNKNOWN) abort();
          last = id;
          """
      })
    for _ in 0..<2 { try plugin.create(settings: ["port": 1], events: RecordedEvents()).destroy() }
    #expect(plugin.log.lines.count == 1)
    #expect(plugin.log.lines.first?.contains("called 'penstock.values/1' for a destroyed instance") == true)
  }
}
