import ArgumentParser

struct PluginsCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins",
    abstract: "Look at plugins, and pin them.",
    discussion: """
        penstock plugins list
        penstock plugins inspect calendar
        penstock plugins verify --write
      """,
    subcommands: [PluginsList.self, PluginsInspect.self, PluginsVerify.self],
    defaultSubcommand: PluginsList.self)
}
