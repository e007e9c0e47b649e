import ArgumentParser

struct ScheduleCommands: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "schedule",
    abstract: "Try a schedule, and plan ahead.",
    discussion: """
        penstock schedule next '0 3 * * mon-fri' --zone Europe/Berlin
        penstock schedule plan pipelines --for 7d
      """,
    subcommands: [ScheduleNext.self, SchedulePlanCommand.self])
}
