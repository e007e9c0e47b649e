import ArgumentParser

struct PluginsCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins",
    abstract: "Look at plugins, and pin them.",
    discussion: """
        penstock plugins list
        penstock plugins inspect calendar
        penstock plugins verify --write
        penstock plugins new words --language swift
      """,
    subcommands: [PluginsList.self, PluginsInspect.self, PluginsVerify.self, PluginsNew.self],
    defaultSubcommand: PluginsList.self)
}
