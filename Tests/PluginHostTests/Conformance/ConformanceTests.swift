import Synchronization
import Testing
import Values

@testable import PluginHost

/// What a plugin and its owner may rely on, wherever the plugin runs.
@Suite("The same plugin in the process and in a child host")
struct ConformanceTests {
  typealias Isolation = PluginReference.Isolation

  @Test("a result equals its input", arguments: Isolation.allCases)
  func result(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(isolation, TestPlugin.Source())
    let values: [JSONValue] = [
      .null, true, 0, .int(.max), .int(.min), 1.5, -1e300, .double(0), .double(3), .double(-0.0), 1e15, 1e16,
      .double(.leastNonzeroMagnitude), [.double(1)], "", "Grüße, 世界 \u{1F600} \"\\\n\u{0}", [], [:],
      ["b": 1, "a": [.null, ["deep": [[[[1]]]]]]], .string(String(repeating: "ä", count: 1 << 20)),
    ]
    for value in values {
      let events = try await plugin.run(input: ["requirement": value])
      #expect(events.all == [.ended(["requirement": value])])
    }
    await plugin.connection.close()
  }

  @Test("a result of 15 MiB arrives, and one of more than 16 MiB is refused", arguments: Isolation.allCases)
  func size(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source(id: "large") {
        $0.start = """
          size_t length = (size_t)atol(strstr(input.bytes, "requirement") + 13);
          char *bytes = malloc(length);
          memset(bytes, 'x', length);
          bytes[0] = bytes[length - 1] = '"';
          penstock_status status = instances->complete(host, me->id, (penstock_text){bytes, length});
          free(bytes);
          if (status == PENSTOCK_TOO_LARGE) return;
          """
      })
    let large = try await plugin.run(input: ["requirement": .int(15 << 20)])
    #expect(large.all == [.ended(.string(String(repeating: "x", count: 15 << 20 - 2)))])
    let tooLarge = try await plugin.run(input: ["requirement": .int(17 << 20)])
    #expect(tooLarge.failure == "malformed-plugin")
    await plugin.connection.close()
  }

  @Test("an error keeps its code, message, delay and detail", arguments: Isolation.allCases)
  func failure(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.start = """
          instances->fail(host, me->id, PENSTOCK_TEXT(
            "{\\"code\\": \\"quota-exceeded\\", \\"message\\": \\"later\\", \\"retry_after\\": 2.5, \\"detail\\": {\\"left\\": 0}}"));
          """
      })
    let events = try await plugin.run()
    #expect(
      events.failures == [
        PluginFailure(
          code: "quota-exceeded", message: "later", retryAfter: .milliseconds(2500), detail: ["left": 0])
      ])
    await plugin.connection.close()
  }

  @Test("rejected settings end the instance with the plugin's reason", arguments: Isolation.allCases)
  func refusedSettings(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.create = """
          if (says(me->settings, "Mars")) {
            free(me);
            instances->fail(host, id, PENSTOCK_TEXT("{\\"code\\": \\"bad-zone\\", \\"message\\": \\"no zone Mars\\"}"));
            return PENSTOCK_INVALID;
          }
          """
        $0.start = "instances->complete(host, me->id, me->settings);"
      })
    let refused = try await plugin.run(settings: ["zone": "Mars"])
    #expect(refused.all == [.failed("bad-zone", "no zone Mars")])
    let taken = try await plugin.run(settings: ["zone": "Europe/Berlin"])
    #expect(taken.all == [.ended(["zone": "Europe/Berlin"])])
    await plugin.connection.close()
  }

  @Test("events arrive in order, and the end comes last", arguments: Isolation.allCases)
  func order(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.preamble = "#include <stdio.h>"
        $0.start = """
          for (int i = 10; i < 30; i++) {
            char text[40];
            int length = snprintf(text, sizeof text, "{\\"fraction\\":0.%02d}", i);
            instances->progress(host, me->id, (penstock_text){text, (size_t)length});
            logs->log(host, me->id, PENSTOCK_INFO, (penstock_text){text, (size_t)length}, PENSTOCK_TEXT("{\\"i\\":1}"));
          }
          instances->complete(host, me->id, PENSTOCK_TEXT("null"));
          instances->progress(host, me->id, PENSTOCK_TEXT("{}"));
          """
      })
    let events = try await plugin.run()
    var expected: [RecordedEvents.Event] = []
    for index in 10..<30 {
      let text = "{\"fraction\":0.\(index)}"
      expected += [.progressed(try JSONValue.parse(text)), .logged(.info, text, ["i": 1])]
    }
    #expect(events.all == expected + [.ended(.null)])
    await plugin.connection.close()
  }

  @Test("a controller yields states, errors, reruns and resets until it is stopped", arguments: Isolation.allCases)
  func controller(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      .controller {
        $0.start = """
          controllers->yield_state(host, me->id, PENSTOCK_TEXT("[1]"));
          controllers->yield_error(host, me->id, PENSTOCK_TEXT("{\\"code\\": \\"e\\", \\"message\\": \\"m\\"}"));
          controllers->yield_rerun(host, me->id, PENSTOCK_TEXT("{\\"reason\\": \\"due\\"}"));
          controllers->yield_rerun(host, me->id, PENSTOCK_TEXT(""));
          controllers->yield_reset(host, me->id);
          """
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start(["pipeline": "p"])
    await events.wait { $0.count == 5 }
    instance.stop(grace: .seconds(10))
    _ = await events.waitForEnd()
    #expect(
      events.all == [
        .yielded(.state([1])), .yielded(.error(PluginFailure(code: "e", message: "m"))),
        .yielded(.rerun(["reason": "due"])), .yielded(.rerun([:])), .yielded(.reset), .ended(nil),
      ])
    instance.destroy()
    await plugin.connection.close()
  }

  @Test("a rerun with an invalid instant is refused and reported", arguments: Isolation.allCases)
  func rerunInstant(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      .controller {
        $0.preamble = """
          static void ask(test_instance *me, const char *event) {
            penstock_status status = controllers->yield_rerun(host, me->id, (penstock_text){event, strlen(event)});
            controllers->yield_state(host, me->id, (penstock_text){status == PENSTOCK_INVALID ? "1" : "0", 1});
          }
          """
        $0.start = """
          ask(me, "{\\"instant\\": \\"never\\"}");
          ask(me, "{\\"instant\\": 5}");
          ask(me, "{\\"instant\\": null}");
          ask(me, "{\\"instant\\": \\"2026-01-31T08:00:00Z\\"}");
          instances->complete(host, me->id, PENSTOCK_TEXT(""));
          """
      })
    let events = try await plugin.run()
    #expect(
      events.all == [
        .yielded(.state(1)), .yielded(.state(1)), .yielded(.state(1)),
        .yielded(.rerun(["instant": "2026-01-31T08:00:00Z"])), .yielded(.state(0)), .ended(nil),
      ])
    await plugin.connection.close()
    // One per instance and kind is reported.
    let what =
      "passed an object with an invalid \"instant\" to 'yield_rerun': expected timestamp, found string \"never\""
    #expect(plugin.log.lines == ["warning echo: controller 'echo' of plugin 'echo' \(what)"])
  }

  @Test("a specification is satisfied, unsatisfied or unknown", arguments: Isolation.allCases)
  func specification(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      .specification {
        $0.start = """
          specifications->changed(host, me->id, 1, PENSTOCK_TEXT("08:00 to 18:00"));
          specifications->changed(host, me->id, 0, PENSTOCK_TEXT("it is night"));
          specifications->changed(host, me->id, -1, PENSTOCK_TEXT(""));
          specifications->changed(host, me->id, 1, PENSTOCK_TEXT("again"));
          specifications->changed(host, me->id, 7, PENSTOCK_TEXT("a value that is none"));
          instances->complete(host, me->id, PENSTOCK_TEXT(""));
          """
      })
    let events = try await plugin.run()
    #expect(
      events.all == [
        .changed(true, "08:00 to 18:00"), .changed(false, "it is night"), .changed(nil, ""), .changed(true, "again"),
        .changed(nil, "a value that is none"), .ended(nil),
      ])
    await plugin.connection.close()
  }

  @Test(
    "an invalid result is reported as a failure, and a second end changes nothing", arguments: Isolation.allCases)
  func garbage(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.offers = [#"{"kind": "operation", "id": "echo", "summary": "Gives an int", "result": "int"}"#]
        $0.start = """
          if (says(input, "garbage")) instances->complete(host, me->id, PENSTOCK_TEXT("{"));
          else if (says(input, "text")) instances->complete(host, me->id, PENSTOCK_TEXT("\\"x\\""));
          else {
            instances->complete(host, me->id, PENSTOCK_TEXT("42"));
            instances->complete(host, me->id, PENSTOCK_TEXT("43"));
          }
          """
      })
    #expect(try await plugin.run(input: ["requirement": "garbage"]).failure == "malformed-plugin")
    #expect(try await plugin.run(input: ["requirement": "text"]).failure == "result-mismatch")
    #expect(try await plugin.run(input: ["requirement": "twice"]).all == [.ended(42)])
    await plugin.log.wait(for: "after the instance had ended")
    await plugin.connection.close()
  }

  @Test("an instance that does not end when asked is ended after its grace period", arguments: Isolation.allCases)
  func unresponsive(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.start = #"instances->progress(host, me->id, PENSTOCK_TEXT("{}"));"#
        $0.stop = ""
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    await events.wait { !$0.isEmpty }
    instance.stop(grace: .milliseconds(20))
    _ = await events.waitForEnd()
    #expect(events.failure == "plugin-unresponsive")
    instance.destroy()
    await plugin.connection.close()
  }

  @Test("stopping an instance that was never started ends it successfully", arguments: Isolation.allCases)
  func stopUnstarted(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(isolation, TestPlugin.Source())
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.stop(grace: .seconds(1))
    _ = await events.waitForEnd()
    #expect(events.all == [.ended(nil)])
    instance.start([:])
    instance.destroy()
    await plugin.connection.close()
    #expect(events.all.count == 1)
  }

  @Test("secrets are available only through the service", arguments: Isolation.allCases)
  func secrets(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.preamble = """
          #include <stdio.h>
          static void answered(void *context, penstock_status status, penstock_text value) {
            test_instance *me = context;
            char json[200];
            int length = snprintf(json, sizeof json, "[%d, \\"%.*s\\"]", (int)status, (int)value.length, value.length ? value.bytes : "");
            instances->complete(host, me->id, (penstock_text){json, (size_t)length});
          }
          """
        $0.start = """
          const penstock_secrets_service *secrets = host->service(host, PENSTOCK_SECRETS);
          secrets->get(host, me->id, (penstock_text){me->settings.bytes + 9, me->settings.length - 11}, answered, me);
          """
      })
    let access = PluginAccess(secrets: { name async throws(PluginAccessError) in
      switch name {
      case "token": return "geheim"
      case "other": throw .denied
      default: throw .unknown
      }
    })
    #expect(try await plugin.run(settings: ["name": "token"], access: access).all == [.ended([0, "geheim"])])
    #expect(try await plugin.run(settings: ["name": "other"], access: access).all == [.ended([7, ""])])
    #expect(try await plugin.run(settings: ["name": "none"], access: access).all == [.ended([4, ""])])
    #expect(try await plugin.run(settings: ["name": "token"]).all == [.ended([6, ""])])
    await plugin.connection.close()
  }

  @Test("stored values are available through the service, including all refusals", arguments: Isolation.allCases)
  func storage(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.preamble = """
          static void answered(void *context, penstock_status status, penstock_text value) {
            test_instance *me = context;
            size_t length = value.length + 40;
            char *json = malloc(length);
            int count = snprintf(json, length, "[%d%s%.*s]", (int)status, value.length ? "," : "", (int)value.length, value.length ? value.bytes : "");
            instances->complete(host, me->id, (penstock_text){json, (size_t)count});
            free(json);
          }
          """
        $0.preamble = "#include <stdio.h>\n" + $0.preamble
        $0.start = """
          const penstock_workspace_service *workspace = host->service(host, PENSTOCK_WORKSPACE);
          static char long_key[1025];
          penstock_text key = PENSTOCK_TEXT("mark/gr\\xC3\\xBC\\xC3\\x9F"), none = {NULL, 0};
          memset(long_key, 'k', sizeof long_key);
          if (says(me->settings, "long")) workspace->get(host, me->id, (penstock_text){long_key, sizeof long_key}, answered, me);
          else if (says(me->settings, "garbage")) workspace->set(host, me->id, key, PENSTOCK_TEXT("{"), answered, me);
          else if (says(me->settings, "set")) workspace->set(host, me->id, key, me->settings, answered, me);
          else if (says(me->settings, "get")) workspace->get(host, me->id, key, answered, me);
          else if (says(me->settings, "list")) workspace->list(host, me->id, PENSTOCK_TEXT("mark/"), answered, me);
          else if (says(me->settings, "remove")) workspace->set(host, me->id, key, none, answered, me);
          """
      })
    let access = PluginAccess(storage: MemoryStorage())
    func ask(_ settings: JSONValue, _ access: PluginAccess) async throws -> [RecordedEvents.Event] {
      try await plugin.run(settings: settings, access: access).all
    }
    let large: JSONValue = ["do": "set", "x": .double(2), "text": .string(String(repeating: "ü\n", count: 100_000))]
    #expect(try await ask(["do": "get"], access) == [.ended([4])])
    #expect(try await ask(large, access) == [.ended([0])])
    #expect(try await ask(["do": "get"], access) == [.ended([0, large])])
    #expect(try await ask(["do": "list"], access) == [.ended([0, ["mark/grüß"]])])
    #expect(try await ask(["do": "garbage"], access) == [.ended([2])])
    #expect(try await ask(["do": "long"], access) == [.ended([5])])
    #expect(try await ask(["do": "remove"], access) == [.ended([0])])
    #expect(try await ask(["do": "get"], access) == [.ended([4])])
    #expect(try await ask(["do": "list"], access) == [.ended([0, []])])
    #expect(try await ask(["do": "get"], .none) == [.ended([6])])
    await plugin.connection.close()
  }

  @Test("closing ends running instances", arguments: Isolation.allCases)
  func close(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(isolation, TestPlugin.Source { $0.start = "" })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    await plugin.connection.close()
    #expect(events.failure == "plugin-closed")
    instance.destroy()
    let late = RecordedEvents()
    try plugin.create(events: late).start([:])
    _ = await late.waitForEnd()
    #expect(late.failure == "plugin-closed")
  }

  @Test("a plugin may report from its own threads, for many instances at a time", arguments: Isolation.allCases)
  func threads(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source(id: "threads") {
        $0.preamble = """
          #include <pthread.h>
          static void *work(void *context) {
            penstock_id id = (penstock_id)(uintptr_t)context;
            instances->progress(host, id, PENSTOCK_TEXT("{}"));
            instances->complete(host, id, PENSTOCK_TEXT("1"));
            return NULL;
          }
          """
        $0.start = """
          // With the stacks that threads have unless somebody asks for others: they fit into the memory of a child host.
          pthread_t thread;
          if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)me->id) != 0) abort();
          pthread_detach(thread);
          """
      })
    try await withThrowingTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { try await plugin.run().all }
      }
      for try await events in group { #expect(events == [.progressed([:]), .ended(1)]) }
    }
    await plugin.connection.close()
  }

  @Test("a timer fires", arguments: Isolation.allCases)
  func timer(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source {
        $0.preamble = """
          static void fired(void *context, penstock_status status) {
            test_instance *me = context;
            if (status == PENSTOCK_OK) instances->complete(host, me->id, PENSTOCK_TEXT("\\"fired\\""));
          }
          """
        $0.start = "clocks->timer(host, me->id, clocks->now(host) + 1000000, fired, me);"
      })
    #expect(try await plugin.run().all == [.ended("fired")])
    await plugin.connection.close()
  }
}
