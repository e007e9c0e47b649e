import PluginHost
import Testing
import Values

@Suite("The description of a plugin")
struct PluginDescriptionTests {
  /// Returns a description with one offer; `with` replaces or adds members of the plugin, `offer` those of its offer.
  private func json(_ with: String = "{}", offer: String = "{}") throws -> JSONValue {
    var offerJSON = try JSONValue.parse(#"{"kind": "operation", "id": "echo", "summary": "Gives back what it gets"}"#)
    offerJSON = merge(offerJSON, try JSONValue.parse(offer))
    let plugin: JSONValue = [
      "id": "echo", "version": "1.0.0", "summary": "Gives back", "offers": [offerJSON],
    ]
    return merge(plugin, try JSONValue.parse(with))
  }

  /// Replaces members of `json` with those of `changes`; null removes a member.
  private func merge(_ json: JSONValue, _ changes: JSONValue) -> JSONValue {
    guard case .object(var members) = json, case .object(let changes) = changes else { return json }
    for (name, value) in changes { members[name] = value.isNull ? nil : value }
    return .object(members)
  }

  private func problem(_ with: String = "{}", offer: String = "{}") throws -> String {
    let problems = PluginDescription.problems(in: try json(with, offer: offer))
    try #require(problems.count <= 1, "\(problems)")
    return problems.first?.description ?? ""
  }

  private func setting(_ members: String) throws -> String {
    let base = try JSONValue.parse(#"{"name": "from", "type": "string", "summary": "When it begins"}"#)
    return try problem(offer: #"{"settings": [\#(merge(base, JSONValue.parse(members)).text)]}"#)
  }

  @Test("every member that the contract lists is read")
  func whole() throws {
    let text = """
      {"id": "calendar", "version": "1.2.0", "summary": "What day it is", "author": "A. Uthor", "license": "MIT",
       "homepage": "https://example.org", "something": "new",
       "offers": [
         {"kind": "specification", "id": "calendar.time-window", "summary": "Time of day",
          "settings": [
            {"name": "from", "type": "string", "summary": "Begins", "required": true},
            {"name": "to", "type": "string", "summary": "Ends", "default": "24:00"},
            {"name": "days", "type": "[string]", "summary": "Days", "default": ["mon"]},
            {"name": "edge", "type": "string", "summary": "Edges", "values": ["in", "out"], "default": "in"}],
          "threads": "plugin"},
         {"kind": "operation", "id": "calendar", "summary": "Says what day it is", "requirement": "timestamp",
          "result": "{day: string, week?: int}"},
         {"kind": "controller", "id": "calendar", "summary": "Yields each day", "states": "string"},
         {"kind": "operation", "id": "calendar.nothing", "summary": "Takes nothing", "requirement": "none"}]}
      """
    let description = try PluginDescription.parse(Array(text.utf8), file: "calendar.so")
    #expect(description.id == "calendar")
    #expect(description.version == "1.2.0")
    #expect(description.author == "A. Uthor")
    #expect(description.license == "MIT")
    #expect(description.homepage == "https://example.org")
    #expect(description.source["something"] == "new")
    let window = try #require(description.offer("calendar.time-window", .specification))
    #expect(window.settings.map(\.name) == ["from", "to", "days", "edge"])
    #expect(window.settings.map(\.isRequired) == [true, false, false, false])
    #expect(window.settings[2].type == .list(.string))
    #expect(window.settings[3].values == ["in", "out"])
    #expect(window.threads == .plugin)
    #expect(window.result == ValueType.none)
    let operation = try #require(description.offer("calendar", .operation))
    #expect(operation.requirement == .timestamp)
    #expect(operation.result.description == "{day: string, week?: int}")
    #expect(operation.threads == .instance)
    let controller = try #require(description.offer("calendar", .controller))
    #expect(controller.states == .string)
    let nothing = try #require(description.offer("calendar.nothing", .operation))
    #expect(nothing.requirement == nil)
    #expect(nothing.result == .json)
  }

  @Test("a valid description has no problems")
  func right() throws {
    #expect(try problem() == "")
    #expect(try setting("{}") == "")
  }

  @Test("a description that is not JSON, or not an object, is reported with the file's name")
  func noJSON() {
    let broken = #expect(throws: PluginError.self) {
      try PluginDescription.parse(Array("{\"id\": ".utf8), file: "/p/echo.so")
    }
    #expect(broken?.code == .malformed)
    #expect(broken?.message.hasPrefix("the description of the plugin '/p/echo.so' is not JSON: ") == true)
    let list = #expect(throws: PluginError.self) {
      try PluginDescription.parse(JSONValue.array([1]), file: "/p/echo.so")
    }
    #expect(list?.message.contains("expected an object, found list") == true)
  }

  @Test("the error names the first invalid member, and counts the others")
  func several() throws {
    let json = try json(#"{"id": "Echo Plugin", "summary": ""}"#)
    let error = #expect(throws: PluginError.self) { try PluginDescription.parse(json, file: "echo.so") }
    #expect(
      error?.message
        == "the description of the plugin 'echo.so' is invalid: id: \"Echo Plugin\" is not a name of the form [a-z][a-z0-9-]* "
        + "with at most 64 characters; use 'echo-plugin' (and 1 more, see 'penstock plugins check')")
  }

  @Test(
    "members of the plugin are checked",
    arguments: [
      (#"{"id": null}"#, "id: it is missing; "),
      (#"{"id": 7}"#, "id: expected a string, found 7; "),
      (#"{"id": "9lives"}"#, "id: \"9lives\" is not a name of the form "),
      (#"{"version": null}"#, "version: it is missing; give one line, such as \"1.0.0\""),
      (#"{"version": ""}"#, "version: it is empty; "),
      (#"{"summary": "two\nlines"}"#, "summary: it has line breaks or other control characters; "),
      (#"{"author": ["A"]}"#, "author: expected one line of text, found list; "),
      (#"{"offers": null}"#, "offers: it is missing; "),
      (#"{"offers": []}"#, "offers: it is empty; "),
      (#"{"offers": {}}"#, "offers: expected a list, found object; "),
      (#"{"offers": ["x"]}"#, "offers[0]: expected an object, found string; "),
    ])
  func plugin(members: String, message: String) throws {
    let found = try problem(members)
    #expect(found.hasPrefix(message))
  }

  @Test(
    "members of an offer are checked",
    arguments: [
      (#"{"kind": null}"#, "offers[0].kind: it is missing; use one of operation, controller, specification"),
      (#"{"kind": "operatoin"}"#, "offers[0].kind: unknown kind \"operatoin\"; did you mean 'operation'?"),
      (#"{"id": null}"#, "offers[0].id: it is missing; use 'echo' or 'echo.' and a name"),
      (#"{"id": "ehco"}"#, "offers[0].id: \"ehco\" is not the plugin's id, nor that, a dot and a name"),
      (#"{"id": "echo."}"#, "offers[0].id: \"echo.\" is not the plugin's id"),
      (#"{"id": "echo.a.b"}"#, "offers[0].id: \"echo.a.b\" is not the plugin's id"),
      (#"{"id": "echo.A"}"#, "offers[0].id: \"echo.A\" is not the plugin's id"),
      (#"{"summary": null}"#, "offers[0].summary: it is missing; "),
      (#"{"settings": {}}"#, "offers[0].settings: expected a list, found object; "),
      (#"{"threads": "plugn"}"#, "offers[0].threads: unknown value \"plugn\"; did you mean 'plugin'?"),
      (#"{"threads": 3}"#, "offers[0].threads: unknown value 3; use one of instance, plugin"),
      (#"{"result": "strng"}"#, "offers[0].result: unknown type 'strng' in \"strng\"; did you mean 'string'?"),
      (#"{"result": "[int"}"#, "offers[0].result: unexpected end, expected ']' in \"[int\"; write a type"),
      (#"{"result": 1}"#, "offers[0].result: expected a type's notation as a string, found 1; "),
      (#"{"states": "int"}"#, "offers[0].states: only a controller can have it; remove it"),
    ])
  func offer(members: String, message: String) throws {
    let found = try problem(offer: members)
    #expect(found.hasPrefix(message))
  }

  @Test(
    "members of a setting are checked",
    arguments: [
      (#"{"name": null}"#, "name: it is missing; "),
      (
        #"{"name": "time-zone"}"#,
        "name: \"time-zone\" is not a name of the form [a-z][a-z0-9_]* with at most 64 characters; "
      ),
      (#"{"summary": null}"#, "summary: it is missing; "),
      (#"{"type": null}"#, "type: it is missing; "),
      (#"{"type": "none"}"#, "type: a setting cannot be of the type 'none'; "),
      (#"{"type": "[{a: file}]"}"#, "type: a setting cannot be of the type 'file'; use 'string' for a path"),
      (#"{"required": "yes"}"#, "required: expected true or false, found \"yes\"; "),
      (#"{"default": 8}"#, "default: it has the wrong type: expected string, found int 8; give a string"),
      (
        #"{"type": "duration", "default": "soon"}"#,
        "default: it has the wrong type: expected duration, found string \"soon\""
      ),
      (#"{"values": []}"#, "values: it is empty, so no value is allowed; "),
      (#"{"values": ["a", 1]}"#, "values[1]: it has the wrong type: expected string, found int 1; "),
      (#"{"values": ["a", "a"]}"#, "values[1]: \"a\" is listed before; "),
      (
        #"{"values": ["a", "b"], "default": "c"}"#,
        "default: \"c\" is not among the allowed values; use one of \"a\", \"b\""
      ),
      (#"{"required": true, "default": "x"}"#, "default: a required setting cannot have a default; "),
    ])
  func settings(members: String, message: String) throws {
    let found = try setting(members)
    #expect(found.hasPrefix("offers[0].settings[0].\(message)"))
  }

  @Test("a default may be written differently from an equal value")
  func sameNumber() throws {
    #expect(try setting(#"{"type": "number", "values": [1, 2], "default": 1.0}"#) == "")
  }

  @Test("a repeated offer or setting is reported with the place of the first one")
  func twice() throws {
    let offer = #"{"kind": "operation", "id": "echo", "summary": "S"}"#
    #expect(
      try problem(#"{"offers": [\#(offer), \#(offer)]}"#)
        == "offers[1].id: the operation 'echo' is already offered by offers[0]; give each a name of its own")
    let setting = #"{"name": "a", "type": "int", "summary": "S"}"#
    #expect(
      try problem(offer: #"{"settings": [\#(setting), \#(setting)]}"#)
        == "offers[0].settings[1].name: the setting 'a' is already described by [0]; describe each setting once")
  }

  @Test("a plugin may have a thousand offers", arguments: [(1000, true), (1001, false)])
  func mostOffers(count: Int, isRight: Bool) throws {
    let offers = (0..<count).map { #"{"kind": "operation", "id": "echo.n\#($0)", "summary": "S"}"# }
    let found = try problem(#"{"offers": [\#(offers.joined(separator: ","))]}"#)
    #expect(found.isEmpty == isRight)
    if !isRight { #expect(found.hasPrefix("offers: there are 1001, but at most 1,000 are allowed; ")) }
  }

  @Test("names have at most 64 characters", arguments: [(64, true), (65, false)])
  func longNames(length: Int, isRight: Bool) throws {
    let id = String(repeating: "a", count: length)
    let found = PluginDescription.problems(in: try json(#"{"id": "\#(id)"}"#, offer: #"{"id": "\#(id)"}"#))
    #expect(found.isEmpty == isRight)
  }

  @Test("with a later minor version, offers of unknown kinds are omitted and unknown threads are the default")
  func newer() throws {
    let json = try json(
      #"""
      {"offers": [{"kind": "operation", "id": "echo", "summary": "S", "threads": "pool"},
                  {"kind": "oracle", "id": "echo.oracle", "whatever": 1}]}
      """#)
    #expect(PluginDescription.problems(in: json).count == 2)
    let description = try PluginDescription.parse(json, file: "echo.so", isNewer: true)
    #expect(description.offers.map(\.id) == ["echo"])
    #expect(description.offers.first?.threads == .instance)
  }
}
