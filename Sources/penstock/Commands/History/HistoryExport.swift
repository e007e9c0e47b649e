import ArgumentParser
import Pipelines

struct HistoryExport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write whole runs as JSON, one a line.",
    discussion: """
      Each line is a run with its operations, and in those their attempts. Names
      and units are those of the views that `history sql` reads.

        penstock history export --since 30d | gzip > history.jsonl.gz
      """)

  private struct ReaderGone: Error {}

  @OptionGroup var filter: FilterOptions
  @OptionGroup var shared: SharedOptions

  func run() throws {
    let filter = try filter.filter(defaultLimit: nil)
    guard let history = try shared.openHistory() else { return }
    do {
      try history.export(filter) { line in
        TextOutput.standard.write(line)
        TextOutput.standard.write([0x0A])
        if TextOutput.standard.isGone { throw ReaderGone() }
      }
    } catch is ReaderGone {}
  }
}
