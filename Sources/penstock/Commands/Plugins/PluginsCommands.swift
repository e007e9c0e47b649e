import ArgumentParser

struct PluginsCommands: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "plugins",
    abstract: "List, add, check, pin and create plugins",
    discussion: """
        penstock plugins list
        penstock plugins inspect calendar
        penstock plugins add https://example.org/words-1.2.0-x86_64.so
        penstock plugins install
        penstock plugins verify --write
        penstock plugins check build/greet.so
        penstock plugins new words --language swift
      """,
    subcommands: [
      PluginsList.self, PluginsInspect.self, PluginsAdd.self, PluginsInstall.self, PluginsRemove.self,
      PluginsVerify.self,
      PluginsCheck.self, PluginsCheckChild.self, PluginsNew.self,
    ],
    defaultSubcommand: PluginsList.self)
}
