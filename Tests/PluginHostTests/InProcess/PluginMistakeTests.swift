import Testing
import Values

@testable import PluginHost

@Suite("Violations of the contract by a plugin")
struct PluginMistakeTests {
  /// Starts an instance of a plugin whose `start` logs the status of each call in `calls`, and returns the log.
  private func outcome(
    of calls: [String], in source: TestPlugin.Source = TestPlugin.Source(), settings: JSONValue = [:]
  ) throws -> (statuses: [String], events: RecordedEvents, log: RecordedLog) {
    var source = source
    source.preamble += """
      #include <stdio.h>
      static void note(penstock_status status) {
        char text[20];
        int length = snprintf(text, sizeof text, "status %d", status);
        logs->log(host, 0, PENSTOCK_DEBUG, (penstock_text){text, length}, (penstock_text){NULL, 0});
      }
      """
    source.start = calls.map { "note(\($0));" }.joined(separator: "\n")
    let plugin = try LoadedTestPlugin(source)
    let events = RecordedEvents()
    let instance = try plugin.create(settings: settings, events: events)
    instance.start([:])
    instance.destroy()
    let prefix = "debug \(source.id): status "
    return (
      plugin.log.lines.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }, events, plugin.log
    )
  }

  private func warnings(_ log: RecordedLog) -> [String] { log.lines.filter { $0.hasPrefix("warning") } }

  @Test("a second end is refused and reported once")
  func twice() throws {
    let (statuses, events, log) = try outcome(of: [
      #"instances->complete(host, me->id, PENSTOCK_TEXT("1"))"#,
      #"instances->complete(host, me->id, PENSTOCK_TEXT("2"))"#,
      #"instances->complete(host, me->id, PENSTOCK_TEXT("3"))"#,
      #"instances->fail(host, me->id, PENSTOCK_TEXT("{\"code\": \"a\", \"message\": \"b\"}"))"#,
    ])
    #expect(statuses == ["0", "3", "3", "3"])
    #expect(events.all == [.ended(1)])
    #expect(
      warnings(log) == [
        "warning echo: operation 'echo' of plugin 'echo' called 'complete' after the instance had ended; an instance can end only once",
        "warning echo: operation 'echo' of plugin 'echo' called 'fail' after the instance had ended; an instance can end only once",
      ])
  }

  @Test("an event after the end is refused without a report, as they may have crossed")
  func afterEnd() throws {
    let (statuses, events, log) = try outcome(of: [
      #"instances->complete(host, me->id, PENSTOCK_TEXT("1"))"#,
      #"instances->progress(host, me->id, PENSTOCK_TEXT("{}"))"#,
    ])
    #expect(statuses == ["0", "3"])
    #expect(events.all == [.ended(1)])
    #expect(warnings(log) == [])
  }

  @Test("a result before the start is refused and reported, and ends the instance with a failure")
  func early() throws {
    var source = TestPlugin.Source()
    source.create = #"instances->complete(host, id, PENSTOCK_TEXT("1"));"#
    let (statuses, events, log) = try outcome(
      of: [#"instances->complete(host, me->id, PENSTOCK_TEXT("2"))"#], in: source)
    #expect(statuses == [])
    #expect(events.failure == "malformed-plugin")
    #expect(
      warnings(log) == [
        "warning echo: operation 'echo' of plugin 'echo' called 'complete' before 'start'; 'create' must only create the instance"
      ])
  }

  @Test(
    "a result that is not JSON ends the instance, and the report says what is wrong",
    arguments: [
      (#"PENSTOCK_TEXT("{\"a\":")"#, "2", "text that is not JSON to 'complete': "),
      (#"PENSTOCK_TEXT("\"\xff\xfe\"")"#, "2", "text that is not JSON to 'complete': "),
      (#"(penstock_text){NULL, 5}"#, "2", "a text with a length but without bytes to 'complete'"),
      (#"(penstock_text){"x", ((size_t)16 << 20) + 1}"#, "5", "more than 16 MiB to 'complete'"),
      (#"(penstock_text){"x", SIZE_MAX}"#, "5", "more than 16 MiB to 'complete'"),
    ])
  func garbageResult(text: String, status: String, what: String) throws {
    let (statuses, events, log) = try outcome(of: ["instances->complete(host, me->id, \(text))"])
    #expect(statuses == [status])
    #expect(events.failure == "malformed-plugin")
    #expect(events.failures.first?.message.contains("it passed \(what)") == true)
    #expect(warnings(log).count == 1)
    #expect(warnings(log).first?.contains("operation 'echo' of plugin 'echo' passed \(what)") == true)
  }

  @Test("after a refused result a second end is refused without another report")
  func afterRefusal() throws {
    let (statuses, events, log) = try outcome(of: [
      #"instances->complete(host, me->id, PENSTOCK_TEXT("nonsense"))"#,
      #"instances->fail(host, me->id, PENSTOCK_TEXT("{\"code\": \"a\", \"message\": \"b\"}"))"#,
    ])
    #expect(statuses == ["2", "3"])
    #expect(events.ends.count == 1)
    #expect(warnings(log).count == 1)
  }

  @Test(
    "an invalid error object still ends the instance",
    arguments: [
      ("", "it is empty"), ("[1]", "it is list, not an object"), ("{}", #"it has no "code""#),
      (#"{"code": "Bad Code", "message": "m"}"#, #""code" is not like"#),
      (#"{"code": 7, "message": "m"}"#, #""code" is not like"#),
      (#"{"code": "a"}"#, #"it has no "message""#), (#"{"code": "a", "message": ""}"#, #"it has no "message""#),
      (#"{"code": "a", "message": "m", "retry_after": "soon"}"#, #""retry_after" is not a number"#),
      (#"{"code": "a", "message": "m", "retry_after": -1}"#, #""retry_after" is not a number"#),
      (#"{"code": "a", "message": "m", "retry_after": 1e300}"#, #""retry_after" is not a number"#),
    ])
  func badErrors(json: String, reason: String) throws {
    let literal = JSONValue.string(json).text
    let (statuses, events, log) = try outcome(of: ["instances->fail(host, me->id, PENSTOCK_TEXT(\(literal)))"])
    #expect(statuses == ["2"])
    #expect(events.failure == "malformed-plugin")
    #expect(events.failures.first?.message.contains(reason) == true)
    #expect(warnings(log).count == 1)
  }

  @Test("an unknown log level counts as info, and an unknown specification value as unknown")
  func laterValues() throws {
    let (statuses, events, log) = try outcome(
      of: [
        #"logs->log(host, me->id, 4, PENSTOCK_TEXT("x"), (penstock_text){NULL, 0})"#,
        #"logs->log(host, me->id, -1, PENSTOCK_TEXT("y"), (penstock_text){NULL, 0})"#,
        #"specifications->changed(host, me->id, 1, PENSTOCK_TEXT("yes"))"#,
        #"specifications->changed(host, me->id, 2, PENSTOCK_TEXT("perhaps"))"#,
      ], in: .specification())
    #expect(statuses == ["0", "0", "0", "0"])
    #expect(
      events.all == [
        .logged(.info, "x", nil), .logged(.info, "y", nil), .changed(true, "yes"), .changed(nil, "perhaps"),
      ])
    #expect(
      warnings(log) == [
        "warning echo: specification 'echo' of plugin 'echo' called 'changed' with the unknown value 2"
      ])
  }

  @Test("invalid texts of log lines and reasons are refused")
  func badLines() throws {
    let (statuses, events, log) = try outcome(
      of: [
        #"logs->log(host, me->id, 1, PENSTOCK_TEXT("\xff"), (penstock_text){NULL, 0})"#,
        #"logs->log(host, me->id, 1, PENSTOCK_TEXT("x"), PENSTOCK_TEXT("[1]"))"#,
        #"specifications->changed(host, me->id, 1, PENSTOCK_TEXT("\xc3("))"#,
      ], in: .specification())
    #expect(statuses == ["2", "2", "2"])
    #expect(events.all == [])
    #expect(
      warnings(log) == [
        "warning echo: specification 'echo' of plugin 'echo' passed bytes that are not UTF-8 to 'log': \u{FFFD}",
        "warning echo: specification 'echo' of plugin 'echo' passed JSON that is not an object to 'log'",
        "warning echo: specification 'echo' of plugin 'echo' passed bytes that are not UTF-8 to 'changed': \u{FFFD}(",
      ])
  }

  @Test("functions for another kind of offer are refused")
  func wrongKind() throws {
    let (statuses, events, log) = try outcome(of: [
      #"controllers->yield_state(host, me->id, PENSTOCK_TEXT("1"))"#,
      #"controllers->yield_error(host, me->id, PENSTOCK_TEXT("1"))"#,
      #"controllers->yield_rerun(host, me->id, PENSTOCK_TEXT("{}"))"#,
      #"controllers->yield_reset(host, me->id)"#,
      #"specifications->changed(host, me->id, 1, PENSTOCK_TEXT("x"))"#,
    ])
    #expect(statuses == ["2", "2", "2", "2", "2"])
    #expect(events.all == [])
    #expect(warnings(log).count == 5)
    #expect(
      warnings(log).first
        == "warning echo: operation 'echo' of plugin 'echo' called 'yield_state' for an operation, which has no such function"
    )
    let (progress, _, _) = try outcome(
      of: [#"instances->progress(host, me->id, PENSTOCK_TEXT("{}"))"#], in: .controller())
    #expect(progress == ["2"])
  }

  @Test("a controller may omit only what the contract lets it omit")
  func emptyTexts() throws {
    let (statuses, events, _) = try outcome(
      of: [
        #"controllers->yield_rerun(host, me->id, (penstock_text){NULL, 0})"#,
        #"controllers->yield_rerun(host, me->id, PENSTOCK_TEXT("1"))"#,
        #"controllers->yield_state(host, me->id, (penstock_text){NULL, 0})"#,
        #"controllers->yield_error(host, me->id, PENSTOCK_TEXT("{\"code\": \"a\"}"))"#,
        #"controllers->yield_state(host, me->id, PENSTOCK_TEXT("null"))"#,
      ], in: .controller())
    #expect(statuses == ["0", "2", "2", "2", "0"])
    #expect(events.all == [.yielded(.rerun([:])), .yielded(.state(.null))])
  }

  @Test("an id that never existed and an invalid host are refused")
  func unknownID() throws {
    let (statuses, events, log) = try outcome(of: [
      #"instances->complete(host, 0, PENSTOCK_TEXT("1"))"#,
      #"instances->complete(host, 123456789, PENSTOCK_TEXT("1"))"#,
      #"instances->complete(NULL, me->id, PENSTOCK_TEXT("1"))"#,
      #"(penstock_status)clocks->timer(host, 77777777, 0, NULL, NULL)"#,
      #"(penstock_status)(clocks->cancel_timer(host, 4711), 0)"#,
      #"host->service(host, "penstock.coffee/1") == NULL && host->service(host, NULL) == NULL"#,
    ])
    #expect(statuses == ["4", "4", "2", "0", "0", "1"])
    #expect(events.all == [])
    #expect(
      warnings(log).first == "warning echo: plugin 'echo' called 'complete' for an instance that never existed")
  }

  @Test("a call after destroy is detected, reported with the offer's name, and changes nothing")
  func afterDestroy() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = "static penstock_id last;"
        $0.create = "if (last == 0) last = id;"
        $0.start = #"if (me->id != last) instances->complete(host, last, PENSTOCK_TEXT("1"));"#
      })
    let first = RecordedEvents()
    let old = try plugin.create(events: first)
    old.destroy()
    for _ in 0..<2 {
      let instance = try plugin.create(events: RecordedEvents())
      instance.start([:])
      instance.destroy()
    }
    #expect(first.all == [])
    #expect(
      plugin.log.lines == [
        "warning echo: operation 'echo' of plugin 'echo' called 'complete' for a destroyed instance; "
          + "'destroy' must stop all work of the instance"
      ])
  }

  @Test("a mistake that very many instances make does not fill the log")
  func manyMistakes() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.start = """
          instances->complete(host, me->id, PENSTOCK_TEXT("1"));
          instances->complete(host, me->id, PENSTOCK_TEXT("2"));
          """
      })
    for _ in 0..<1000 {
      let instance = try plugin.create(events: RecordedEvents())
      instance.start([:])
      instance.destroy()
    }
    #expect(plugin.log.lines.count == 12)
    #expect(plugin.log.lines.last?.hasSuffix("(1000 times so far)") == true)
  }
}
