import ArgumentParser

struct ScheduleCommands: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "schedule",
    abstract: "Show when schedules and pipelines are due",
    discussion: """
        penstock schedule next '0 3 * * mon-fri' --zone Europe/Berlin
        penstock schedule plan pipelines --for 7d
      """,
    subcommands: [ScheduleNext.self, SchedulePlanCommand.self])
}
