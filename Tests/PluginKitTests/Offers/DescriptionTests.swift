import PluginKitTesting
import Testing

@testable import PluginKit

@Suite struct DescriptionTests {
  private func offer(_ id: String) throws -> JSONValue? {
    try TestPluginHost(Words.self).description["offers"]?.arrayValue?.first { $0["id"] == .string(id) }
  }

  @Test func thePluginSaysWhoItIs() throws {
    let description = try TestPluginHost(Words.self).description
    #expect(description["id"] == "words")
    #expect(description["version"] == "1.2.3")
    #expect(description["summary"] == "Counts words")
    #expect(description["author"] == "Ann")
    #expect(description["license"] == nil)
    #expect(description["offers"]?.arrayValue?.count == Words.offers.count)
  }

  @Test func settingsAreDescribedByTheirDeclaration() throws {
    #expect(
      try offer("words.count") == [
        "kind": "operation", "id": "words.count", "summary": "How many words there are",
        "settings": [
          ["name": "separator", "type": "string", "summary": "What stands between words", "default": " "],
          ["name": "limit", "type": "int", "summary": "At most so many"],
          [
            "name": "letter_case", "type": "string", "summary": "Which words count", "default": "any",
            "values": ["any", "lower"],
          ],
        ],
        "requirement": "string", "result": "{words: int, longest?: string}",
      ])
    #expect(
      try offer("words.greet")?["settings"] == [
        ["name": "name", "type": "string", "summary": "Whom to greet", "required": true],
        ["name": "politeness", "type": "duration", "summary": "How long to be polite", "default": "1m30s"],
        ["name": "since", "type": "timestamp", "summary": "Since when"],
        ["name": "size", "type": "size", "summary": "How much", "default": 4096],
      ])
  }

  @Test func theKindDecidesWhichTypesAreDescribed() throws {
    #expect(
      try offer("words.nothing") == [
        "kind": "operation", "id": "words.nothing", "summary": "Has no result", "result": "none",
      ])
    #expect(try offer("words.ticks")?["states"] == "int")
    #expect(
      try offer("words.flag") == ["kind": "specification", "id": "words.flag", "summary": "Whether the flag is up"])
  }

  @Test func aPropertyThatIsNoSettingKeepsThePluginFromOpening() throws {
    let error = #expect(throws: PluginProblem.self) { try TestPluginHost(Careless.self) }
    #expect(error?.code == "open-failed")
    #expect(
      error?.message.hasSuffix(
        "careless: the property 'plain' of the settings is not a setting; write @Setting(\"…\") before it") == true)
  }

  @Test func aSettingThatIsRenamedKeepsThePluginFromOpening() throws {
    let error = #expect(throws: PluginProblem.self) { try TestPluginHost(Renaming.self) }
    #expect(
      error?.message.hasSuffix(
        "renaming: the settings have no property 'other'; a setting cannot be renamed by coding keys") == true)
  }

  @Test func aNameThatTheContractDoesNotAllowKeepsThePluginFromOpening() throws {
    let error = #expect(throws: PluginProblem.self) { try TestPluginHost(Umlaut.self) }
    #expect(
      error?.message.hasSuffix("umlaut: the setting 'größe' of Settings must be named like [a-z][a-z0-9_]*") == true)
  }

  @Test(arguments: [
    ("every", "every"), ("catchUp", "catch_up"), ("maxURLLength", "max_url_length"), ("utf8", "utf8"),
    ("already_snake", "already_snake"), ("aB", "a_b"),
  ])
  func settingsAreNamedInLowerCaseWithUnderscores(property: String, name: String) {
    #expect(SettingsShape<NoSettings>.settingName(of: property) == name)
  }
}

private struct Idle: OperationRequest {
  func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<Void, Never>
  ) async {}
}

private enum Careless: Plugin {
  struct Settings: PluginSettings {
    @Setting("Marked") var marked = 1
    var plain = 2
  }

  static let id = "careless"
  static let version = "1"
  static let summary = "Has a plain property"
  static let offers: [Offer] = [.operation("careless", "Nothing") { (_: Settings) in Idle() }]
}

private enum Renaming: Plugin {
  struct Settings: PluginSettings {
    enum CodingKeys: String, CodingKey { case name = "other" }

    @Setting("Renamed") var name = 1
  }

  static let id = "renaming"
  static let version = "1"
  static let summary = "Renames a setting"
  static let offers: [Offer] = [.operation("renaming", "Nothing") { (_: Settings) in Idle() }]
}

private enum Umlaut: Plugin {
  struct Settings: PluginSettings {
    @Setting("Not ASCII") var größe = 1
  }

  static let id = "umlaut"
  static let version = "1"
  static let summary = "Has a name that cannot be"
  static let offers: [Offer] = [.operation("umlaut", "Nothing") { (_: Settings) in Idle() }]
}
