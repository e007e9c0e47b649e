import ArgumentParser

struct ScheduleCommands: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "schedule",
    abstract: "Try a schedule.",
    discussion: """
        penstock schedule next '0 3 * * mon-fri' --zone Europe/Berlin
      """,
    subcommands: [ScheduleNext.self])
}
