import ArgumentParser
import PluginHost
import Values

struct PluginsInspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show a plugin: its offers, their settings, its file",
    discussion: """
      Name the plugin by its id, by the id of one of its offers, or by its file. Exits with 1 when the plugin is \
      refused.

        penstock plugins inspect calendar
        penstock plugins inspect ./mine.so --json
      """)

  @Argument(help: ArgumentHelp("The plugin", valueName: "id-or-file"))
  var plugin: String
  @OptionGroup var plugins: PluginOptions
  @OptionGroup var shared: SharedOptions

  func run() throws {
    let survey = PluginSurvey(plugins.finder)
    let facts: PluginFacts
    do throws(PluginError) {
      facts = survey.facts(of: try survey.file(named: plugin))
    } catch {
      throw CommandFailure(error)
    }
    shared.output.print(Self.json(facts)) {
      PluginText(style: shared.style).write(facts)
    }
    if let error = facts.error { throw CommandFailure(error) }
  }

  /// Returns the JSON of ``PluginsList``, with the file, the contract and the description added.
  private static func json(_ facts: PluginFacts) -> JSONValue {
    var more: [(String, JSONValue)] = [
      ("found", .string(facts.file.foundPath)), ("origin", .string(facts.file.origin.word)),
    ]
    if let verified = facts.verified {
      let entry = verified.entry
      more.append(
        (
          "contract",
          [
            "plugin": .string(entry.version), "needed": .string("\(entry.abiMajor).\(entry.abiMinorNeeded)"),
            "host": .string(PluginEntry.hostVersion),
          ]
        ))
      more.append(("libraries", .array(verified.libraries.map(JSONValue.string))))
    }
    if let description = facts.description { more.append(("description", description.json)) }
    return PluginsList.json(facts).adding(more)
  }
}

extension PluginFile.Origin {
  var word: String {
    switch self {
    case .directory: "directory"
    case .commandLine: "command-line"
    case .pipeline: "pipeline"
    }
  }
}

extension PluginDescription {
  /// The description as the host has read it, including the defaults of what the plugin omitted.
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("id", .string(id)), ("version", .string(version)), ("summary", .string(summary)),
    ]
    for (name, value) in [("author", author), ("license", license), ("homepage", homepage)] {
      if let value { members.append((name, .string(value))) }
    }
    return JSONValue(members: members + [("offers", .array(offers.map(\.json)))])
  }
}

extension PluginOffer {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("kind", .string(kind.rawValue)), ("id", .string(id)), ("summary", .string(summary)),
      ("threads", .string(threads.rawValue)),
    ]
    switch kind {
    case .operation:
      members.append(("requirement", .string(requirement?.description ?? "none")))
      members.append(("result", .string(result.description)))
    case .controller: members.append(("states", .string(states.description)))
    case .specification: break
    }
    return JSONValue(members: members + [("settings", .array(settings.map(\.json)))])
  }
}

extension PluginSetting {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("name", .string(name)), ("type", .string(type.description)), ("summary", .string(summary)),
      ("required", .bool(isRequired)),
    ]
    if let defaultValue { members.append(("default", defaultValue)) }
    if let values { members.append(("values", .array(values))) }
    return JSONValue(members: members)
  }
}

extension JSONValue {
  /// Creates an object with these members, in this order.
  init(members: [(String, JSONValue)]) { self = JSONValue.object([:]).adding(members) }

  /// Returns the object with more members.
  func adding(_ members: [(String, JSONValue)]) -> JSONValue {
    guard case .object(var object) = self else { return self }
    for (name, value) in members { object[name] = value }
    return .object(object)
  }
}
