import ArgumentParser

struct PluginsCommands: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "plugins",
    abstract: "List, check, pin and create plugins",
    discussion: """
        penstock plugins list
        penstock plugins inspect calendar
        penstock plugins verify --write
        penstock plugins check build/greet.so
        penstock plugins new words --language swift
      """,
    subcommands: [
      PluginsList.self, PluginsInspect.self, PluginsVerify.self, PluginsCheck.self, PluginsCheckChild.self,
      PluginsNew.self,
    ],
    defaultSubcommand: PluginsList.self)
}
