import ArgumentParser

struct HistoryCommands: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "history",
    abstract: "Show, compare, export and delete past runs",
    discussion: """
        penstock history list --state failed --since yesterday
        penstock history show last
        penstock history stats nightly --since 7d
        penstock history diff last
        penstock history sql "SELECT operation, count(*) FROM failures GROUP BY 1"
      """,
    subcommands: [
      HistoryList.self, HistoryShow.self, HistoryDiff.self, HistoryStats.self, HistoryWatch.self, HistorySQL.self,
      HistoryExport.self, HistoryImport.self, HistoryPrune.self, HistoryVacuum.self,
    ],
    defaultSubcommand: HistoryList.self)
}
