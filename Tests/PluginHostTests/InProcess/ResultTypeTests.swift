import Testing
import Values

@testable import PluginHost

@Suite("The types of plugins' results")
struct ResultTypeTests {
  private func result(_ type: String, _ json: String) throws -> (RecordedEvents, RecordedLog) {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.offers = [#"{"kind": "operation", "id": "echo", "summary": "s", "result": "\#(type)"}"#]
        $0.start = "instances->complete(host, me->id, PENSTOCK_TEXT(\(JSONValue.string(json).text)));"
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.destroy()
    return (events, plugin.log)
  }

  @Test(
    "a result of its type is passed on",
    arguments: [
      ("int", "7", JSONValue.int(7)), ("[{tag: string}]", #"[{"tag":"a"}]"#, JSONValue.array([["tag": "a"]])),
    ])
  func right(type: String, json: String, value: JSONValue) throws {
    let (events, log) = try result(type, json)
    #expect(events.all == [.ended(value)])
    #expect(log.lines == [])
  }

  @Test("no result is valid where none is promised")
  func nothing() throws {
    #expect(try result("none", "").0.all == [.ended(nil)])
    #expect(try result("json", "").0.all == [.ended(nil)])
    #expect(try result("int", "").0.failure == "result-mismatch")
  }

  @Test("a result of another type fails the instance, with the path to the mismatch")
  func wrong() throws {
    let (events, log) = try result("[{tag: string}]", #"[{"tag":"a"},{"tag":5}]"#)
    #expect(
      events.all == [
        .failed(
          "result-mismatch",
          "the result of operation 'echo' of plugin 'echo' has the wrong type: [1].tag: expected string, found int 5")
      ])
    #expect(
      log.lines == [
        "warning echo: operation 'echo' of plugin 'echo' passed a value of the wrong type to 'complete': "
          + "[1].tag: expected string, found int 5"
      ])
  }

  @Test("a state of another type is reported as an error, and the controller keeps running")
  func states() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source.controller {
        $0.offers = [#"{"kind": "controller", "id": "echo", "summary": "s", "states": "{line: string}"}"#]
        $0.start = #"""
          controllers->yield_state(host, me->id, PENSTOCK_TEXT("{\"line\":1}"));
          controllers->yield_state(host, me->id, PENSTOCK_TEXT("{\"line\":\"a\"}"));
          """#
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    guard case .yielded(.error(let failure)) = events.all.first else {
      Issue.record("no error came: \(events.all)")
      return
    }
    #expect(failure.code == "result-mismatch")
    #expect(failure.message.contains(".line: expected string, found int 1"))
    #expect(events.all.last == .yielded(.state(["line": "a"])))
    instance.destroy()
  }
}
