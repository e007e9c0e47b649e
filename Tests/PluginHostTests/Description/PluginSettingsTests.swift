import Testing
import Values

@testable import PluginHost

@Suite("The settings of an offer")
struct PluginSettingsTests {
  private let offer: PluginOffer

  init() throws {
    let description = try PluginDescription.parse(
      JSONValue.parse(
        """
        {"id": "calendar", "version": "1", "summary": "S", "offers": [
          {"kind": "specification", "id": "calendar.window", "summary": "S", "settings": [
            {"name": "from", "type": "string", "summary": "when it begins", "required": true},
            {"name": "zone", "type": "string", "summary": "where", "default": "UTC"},
            {"name": "every", "type": "duration", "summary": "how often"},
            {"name": "count", "type": "int", "summary": "how many", "default": 3},
            {"name": "edge", "type": "string", "summary": "which", "values": ["inner", "outer"]},
            {"name": "days", "type": "[{day: int}]", "summary": "which days"},
            {"name": "anything", "type": "json", "summary": "whatever"}]},
          {"kind": "operation", "id": "calendar", "summary": "S"}]}
        """), file: "calendar.so")
    offer = try #require(description.offer("calendar.window", .specification))
  }

  private func problems(_ settings: String, offer: PluginOffer? = nil) throws -> [PluginSettingProblem] {
    do throws(PluginSettingProblems) {
      _ = try (offer ?? self.offer).resolve(settings: (try? JSONValue.parse(settings)) ?? "broken")
      return []
    } catch {
      return error.problems
    }
  }

  @Test("defaults are filled in, in the order of the description")
  func defaults() throws {
    let resolved = try offer.resolve(settings: ["every": "90s", "from": "08:00", "zone": "Europe/Berlin"])
    #expect(resolved.text == #"{"from":"08:00","zone":"Europe/Berlin","every":"90s","count":3}"#)
  }

  @Test("null counts as a missing value, except where any value is allowed")
  func null() throws {
    let resolved = try offer.resolve(settings: JSONValue.parse(#"{"from": "8", "count": null, "anything": null}"#))
    #expect(resolved.text == #"{"from":"8","zone":"UTC","count":3,"anything":null}"#)
    #expect(try problems(#"{"from": null}"#).map(\.code) == [.missing])
    #expect(try problems("null").map(\.code) == [.missing])
  }

  @Test(
    "a mistake is reported with its setting, its place and a fix",
    arguments: [
      (
        #"{"frm": "8"}"#, "unknown-setting", "frm", "", "'calendar.window' has no setting 'frm'", "did you mean 'from'?"
      ),
      (
        #"{"from": "8", "xyzzy": 1}"#, "unknown-setting", "xyzzy", "", "'calendar.window' has no setting 'xyzzy'",
        "its settings are from, zone, every, count, edge, days, anything"
      ),
      (
        "{}", "missing-setting", "from", "", "'calendar.window' requires the setting 'from', a string",
        "add 'from: …' under 'with:' (when it begins)"
      ),
      (
        #"{"from": 8}"#, "invalid-setting", "from", "",
        "the setting 'from' of 'calendar.window' has the wrong type: expected string, found int 8", "put it in quotes"
      ),
      (
        #"{"from": "8", "every": "soon"}"#, "invalid-setting", "every", "",
        "the setting 'every' of 'calendar.window' has the wrong type: expected duration, found string \"soon\"",
        "write it like 90s or 1h30m"
      ),
      (
        #"{"from": "8", "count": "7"}"#, "invalid-setting", "count", "",
        "the setting 'count' of 'calendar.window' has the wrong type: expected int, found string \"7\"",
        "write a number without quotes"
      ),
      (
        #"{"from": "8", "edge": "iner"}"#, "invalid-setting", "edge", "",
        "the setting 'edge' of 'calendar.window' cannot be 'iner'", "did you mean 'inner'?"
      ),
      (
        #"{"from": "8", "edge": "top"}"#, "invalid-setting", "edge", "",
        "the setting 'edge' of 'calendar.window' cannot be 'top'", "use one of 'inner', 'outer'"
      ),
      (
        #"{"from": "8", "days": [{"day": 1}, {"day": "x"}]}"#, "invalid-setting", "days", "[1].day",
        "the setting 'days' of 'calendar.window' has the wrong type: [1].day: expected int, found string \"x\"",
        "write a number without quotes"
      ),
    ])
  func mistakes(settings: String, code: String, setting: String, path: String, message: String, fix: String) throws {
    let problem = try #require(try problems(settings).first)
    #expect(problem.code.rawValue == code)
    #expect(problem.setting == setting)
    #expect(problem.path == path)
    #expect(problem.message == message)
    #expect(problem.fix == fix)
    #expect(try problems(settings).count == 1)
  }

  @Test("a number that JSON cannot represent is refused")
  func numbersBeyondJSON() {
    let problem = offer.check(setting: "anything", value: ["max": .double(.infinity)])
    #expect(problem?.code == .invalid)
    #expect(
      problem?.message
        == "the setting 'anything' of 'calendar.window' has Infinity at 'max', which is not a number of JSON")
  }

  @Test("all mistakes are reported at once: those of given settings in order, then missing ones")
  func several() throws {
    let problems = try problems(#"{"edge": 1, "xyzzy": 1, "count": []}"#)
    #expect(problems.map(\.setting) == ["edge", "xyzzy", "count", "from"])
  }

  @Test("settings that are not an object, and settings of an offer without any, are reported")
  func noObject() throws {
    #expect(try problems("[1]").map(\.setting) == [nil])
    let plain = PluginOffer(
      kind: .operation, id: "plain", summary: "S", settings: [], requirement: nil, result: .json, states: .none,
      threads: .instance, whenFull: .refuse)
    #expect(try problems(#"{"a": 1}"#, offer: plain).map(\.fix) == ["it has no settings"])
    #expect(try plain.resolve(settings: [:]) == [:])
  }

  @Test("for a value that comes later, problems with its type are reported when the pipeline is loaded")
  func types() throws {
    #expect(offer.check(setting: "from", type: .string) == nil)
    #expect(offer.check(setting: "from", type: .json) == nil)
    #expect(offer.check(setting: "every", type: .string) == nil)
    let problem = try #require(offer.check(setting: "count", type: .list(.int)))
    #expect(problem.message == "the setting 'count' of 'calendar.window' has the wrong type: expected int, found [int]")
    #expect(problem.fix == "give it an int")
    #expect(offer.check(setting: "cuont", type: .int)?.fix == "did you mean 'count'?")
  }

  @Test("values and types may be checked together")
  func together() {
    let given: [(name: String, given: GivenSetting)] = [
      ("zone", .type(.string)), ("count", .value("x")), ("every", .type(.bool)),
    ]
    #expect(offer.problems(with: given).map(\.setting) == ["count", "every", "from"])
  }
}
