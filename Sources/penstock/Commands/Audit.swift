import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct Audit: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "audit",
    abstract: "List who started, cancelled, approved, paused, deleted or imported what",
    discussion: """
      Lists the latest entries first; the last 10,000 are kept. Runs started with `penstock run` are not \
      included: `penstock history list` shows them.

        penstock audit
        penstock audit --since yesterday
        penstock audit --json | jq 'select(.who == "ada")'
      """)

  @OptionGroup var span: SpanOptions

  @Option(help: ArgumentHelp("Show at most this many entries; 0 for all", valueName: "number"))
  var limit = 30

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if limit < 0 { throw ValidationError("--limit must be 0 or more.") }
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    let (since, until) = try span.span()
    guard let history = try shared.openHistory() else { return }
    let entries = try history.audit(since: since, until: until, limit: limit == 0 ? nil : limit)
    shared.output.print(lines: { entries.map { $0.jsonValue() } }) {
      guard !entries.isEmpty else {
        if !shared.quiet { TextOutput.standard.writeLine("No entries.") }
        return
      }
      let reference = RunReference(history: history)
      var table = Table([
        .init("TIME"), .init("WHO"), .init("HOW"), .init("WHAT"), .init("ON WHAT"), .init("DETAIL"),
      ])
      for entry in entries {
        table.add(
          ClockText.dateAndTime(entry.time), entry.requester.who, entry.requester.means.rawValue,
          entry.action.rawValue, Self.target(of: entry, reference), TerminalText.oneLine(Self.detail(of: entry)))
      }
      TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style))
    }
  }

  /// Returns the detail, with the end of a pause in local time.
  private static func detail(of entry: AuditEntry) -> String {
    guard let detail = entry.detail else { return "" }
    let words = detail.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard entry.action == .pause, words.count > 1, words[0] == "until" else { return detail }
    let isFollowed = words[1].hasSuffix(":")
    guard let end = TimeFilter.parse(String(isFollowed ? words[1].dropLast() : words[1])) else { return detail }
    return (["until \(ClockText.dateAndTime(end))\(isFollowed ? ":" : "")"] + words.dropFirst(2).map(String.init))
      .joined(separator: " ")
  }

  /// Returns the target, with a run id in its short form. The name of a pipeline may look like an id.
  private static func target(of entry: AuditEntry, _ reference: RunReference) -> String {
    let words = entry.target.split(separator: " ", maxSplits: 1)
    guard ![.start, .pause, .unpause, .prune, .import].contains(entry.action),
      let run = words.first.flatMap({ RunID($0) })
    else { return entry.target }
    return ([reference.short(run)] + words.dropFirst().map(String.init)).joined(separator: " ")
  }
}
