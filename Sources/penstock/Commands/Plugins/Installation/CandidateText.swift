import PipelineLanguage
import PluginHost
import PluginInstallation
import Values

/// Prints a plugin that is about to be installed, for the person who decides.
struct CandidateText {
  let style: Style

  func write(_ candidate: PluginCandidate) {
    let description = candidate.description
    line("\(style.paint(description.id, .bold)) \(visible(description.version))  \(visible(description.summary))")
    row("from", visible(candidate.source.shown))
    if let redirected = candidate.redirected { row("redirected to", visible(redirected)) }
    row("sha256", candidate.sha256)
    row("size", SizeNotation.format(candidate.size))
    row("architecture", candidate.architecture)
    row(
      "contract",
      "\(candidate.entry.version), needs \(candidate.entry.abiMajor).\(candidate.entry.abiMinorNeeded); this host supports \(PluginEntry.hostVersion)"
    )
    for (name, value) in [
      ("author", description.author), ("license", description.license), ("homepage", description.homepage),
    ] {
      if let value { row(name, visible(value)) }
    }
    row("file", visible(candidate.path))
    if let former = candidate.former, !candidate.isInstalled {
      row("replaces", visible(former.version.map { "version \($0)" } ?? "a file that cannot be used"))
    }
    for offer in description.offers {
      row(offer.kind.rawValue, "\(style.paint(offer.id, .bold))  \(visible(offer.summary))")
    }
    if candidate.source.isUnprotected {
      line(
        "warning: it was downloaded by http, so anyone on the network path could have changed it; compare the SHA-256 with the author's"
      )
    }
  }

  private func visible(_ text: String) -> String { TerminalText.visible(text) }

  private func line(_ text: String) { TextOutput.standard.writeLine(text) }

  private func row(_ name: String, _ value: String) {
    line("  \(style.paint(name, .dim))" + String(repeating: " ", count: max(1, 15 - name.count)) + value)
  }
}
