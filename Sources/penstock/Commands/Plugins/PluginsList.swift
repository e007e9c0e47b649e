import ArgumentParser
import PluginHost
import Values

struct PluginsList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the plugins that are found, and their problems",
    discussion: """
      Looks for plugins beside penstock, in ../lib/penstock/plugins from there, in the directories of \
      $PENSTOCK_PLUGIN_PATH, and in ~/.local/lib/penstock/plugins. Loads each plugin that is not refused, to ask \
      what it offers; those that did not come with Penstock in a separate process. Exits with 1 when a plugin \
      cannot be used.

        penstock plugins list --plugin ./mine.so
        penstock plugins list --json
      """)

  @OptionGroup var plugins: PluginOptions
  @OptionGroup var shared: SharedOptions

  func run() throws {
    let (facts, errors) = PluginSurvey(plugins.finder).all()
    shared.output.print {
      facts.map(Self.json)
    } text: {
      if !facts.isEmpty { printTable(facts) } else if !shared.quiet { TextOutput.standard.writeLine("No plugins.") }
    }
    let refusals = facts.compactMap(\.error) + errors
    guard refusals.isEmpty else {
      TextOutput.standard.flush()
      for error in refusals { TextOutput.error.writeMessage("penstock: \(TerminalLines.visible(error.message))") }
      throw ExitStatus.failed
    }
  }

  private func printTable(_ all: [PluginFacts]) {
    var table = Table([
      .init("PLUGIN"), .init("VERSION"), .init("OFFERS"), .init("RUNS IN") { $0 == "refused" ? .boldRed : nil },
      .init("SHA-256"), .init("PATH"),
    ])
    for facts in all {
      table.add(
        facts.id, facts.description?.version ?? "", Self.offers(facts),
        facts.error == nil ? facts.isolation.rawValue : "refused", facts.sha256.map { String($0.prefix(12)) } ?? "",
        facts.file.path)
    }
    TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style))
  }

  /// Returns, for example, `2 operations, 1 controller`.
  private static func offers(_ facts: PluginFacts) -> String {
    PluginOffer.Kind.allCases.compactMap { kind in
      let count = facts.count(kind)
      return count == 0 ? nil : "\(count) \(kind.rawValue)\(count == 1 ? "" : "s")"
    }.joined(separator: ", ")
  }

  static func json(_ facts: PluginFacts) -> JSONValue {
    var json: [(String, JSONValue)] = [
      ("id", .string(facts.id)), ("path", .string(facts.file.path)), ("standard", .bool(facts.file.isStandard)),
      ("isolation", .string(facts.isolation.rawValue)), ("size", .int(facts.file.size)),
    ]
    if let hash = facts.sha256 { json.append(("sha256", .string(hash))) }
    if let description = facts.description {
      json.append(("version", .string(description.version)))
      for kind in PluginOffer.Kind.allCases {
        json.append(("\(kind.rawValue)s", .int(Int64(facts.count(kind)))))
      }
    }
    if let error = facts.error {
      json.append(("error", ["code": .string(error.code.rawValue), "message": .string(error.message)]))
    }
    return JSONValue(members: json)
  }
}
