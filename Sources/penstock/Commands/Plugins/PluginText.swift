import PluginHost
import Values

/// Prints everything about a plugin as text.
struct PluginText {
  let style: Style

  func write(_ facts: PluginFacts) {
    if let description = facts.description {
      line("\(style.paint(description.id, .bold)) \(visible(description.version))  \(visible(description.summary))")
    } else {
      line(style.paint(visible(facts.id), .bold))
    }
    row("file", visible(facts.file.path))
    if facts.file.foundPath != facts.file.path { row("found as", visible(facts.file.foundPath)) }
    row("from", origin(facts.file))
    row("size", SizeNotation.format(facts.file.size))
    if let hash = facts.sha256 { row("sha256", hash) }
    if let entry = facts.verified?.entry {
      row(
        "contract",
        "\(entry.version), needs \(entry.abiMajor).\(entry.abiMinorNeeded); this host speaks \(PluginEntry.hostVersion)"
      )
    }
    row("runs in", facts.isolation == .host ? "the host's process" : "a process of its own")
    if let libraries = facts.verified?.libraries, !libraries.isEmpty {
      row("libraries", visible(libraries.joined(separator: " ")))
    }
    guard let description = facts.description else { return }
    for (name, value) in [
      ("author", description.author), ("license", description.license), ("homepage", description.homepage),
    ] {
      if let value { row(name, visible(value)) }
    }
    for offer in description.offers { write(offer) }
  }

  private func write(_ offer: PluginOffer) {
    line("")
    line("\(offer.kind.rawValue) \(style.paint(offer.id, .bold))  \(visible(offer.summary))")
    switch offer.kind {
    case .operation:
      row("requirement", offer.requirement.map { visible($0.description) } ?? "none")
      row("result", visible(offer.result.description))
    case .controller: row("states", visible(offer.states.description))
    case .specification: break
    }
    if offer.threads == .plugin { row("threads", "one call of the whole plugin at a time") }
    guard !offer.settings.isEmpty else { return }
    var table = Table([.init("  SETTING"), .init("TYPE"), .init("DEFAULT"), .init("MEANING")])
    for setting in offer.settings {
      let standard = setting.isRequired ? "(required)" : setting.defaultValue.map(\.text) ?? ""
      let values = setting.values.map { " (one of \($0.map(\.text).joined(separator: ", ")))" } ?? ""
      table.add("  " + setting.name, setting.type.description, standard, setting.summary + values)
    }
    TextOutput.standard.write(table.render(width: nil, style: style))
  }

  private func origin(_ file: PluginFile) -> String {
    switch file.origin {
    case .directory(let path):
      visible(path)
        + (file.isStandard
          ? ", where plugins of Penstock are"
          : path == PluginDirectory.added()?.path
            ? ", where 'penstock plugins add' puts plugins" : ", a directory of PENSTOCK_PLUGIN_PATH")
    case .commandLine: "the command line"
    case .pipeline: "a pipeline file"
    }
  }

  private func visible(_ text: String) -> String { TerminalLines.visible(text) }

  private func line(_ text: String) { TextOutput.standard.writeLine(text) }

  private func row(_ name: String, _ value: String) {
    line("  \(style.paint(name, .dim))" + String(repeating: " ", count: max(1, 13 - name.count)) + value)
  }
}
