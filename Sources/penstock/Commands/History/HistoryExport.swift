import ArgumentParser
import RunHistory
import Values
import Workspace

struct HistoryExport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export runs as JSON lines or CSV",
    discussion: """
      Writes one run per line, with its operations and their attempts. Names and units are those of the views \
      that `history sql` reads; `history import` reads the lines back. A run that another run started comes \
      after it. With --csv, writes the rows of one view.

        penstock history export --since 30d | gzip > history.jsonl.gz
        penstock history export --csv --rows attempts > attempts.csv
      """)

  private struct ReaderGone: Error {}

  @OptionGroup var filter: FilterOptions
  @Flag(help: "Print CSV") var csv = false

  @Option(help: ArgumentHelp("The rows of --csv: runs, operations or attempts", valueName: "rows"))
  var rows: RecordRows?

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    try shared.requireOneFormat(csv: csv)
    if rows != nil, !csv { throw ValidationError("--rows needs --csv; JSON contains whole runs.") }
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    let filter = try filter.filter(defaultLimit: nil)
    guard let history = try shared.openHistory() else { return }
    // Without a condition, there is nothing to check.
    if filter.condition != nil, try history.runs(Self.first(of: filter)).isEmpty {
      try FilterOptions.check(filter, in: history)
    }
    let output = TextOutput.standard
    do {
      let writeRuns = {
        try history.export(filter) { line in
          output.writeJSON(line + [0x0A])
          if output.isGone { throw ReaderGone() }
        }
      }
      try shared.output(csv: csv).choose(
        json: writeRuns,
        csv: {
          try history.exportRows(rows ?? .operations, of: filter) { values in
            output.writeCSV(values.map(\.text))
            if output.isGone { throw ReaderGone() }
          }
        }, text: writeRuns)
    } catch is ReaderGone {}
  }
}

extension HistoryExport {
  private static func first(of filter: RunFilter) -> RunFilter {
    var filter = filter
    filter.limit = 1
    return filter
  }
}

extension RecordRows: ExpressibleByArgument {}
