import ArgumentParser
import PipelineLanguage
import Values

/// The message for a command that does not exist, which the parser would treat as an argument of the command's group.
struct CommandSuggestion {
  let root: any ParsableCommand.Type

  /// Returns, for example, `there is no command 'history stat'; did you mean 'history stats'?`; nil if the commands at the start of `arguments` exist.
  func text(for arguments: [String]) -> String? {
    if let lonely = optionsAlone(in: arguments) { return lonely }
    // A command after `help` must exist, too.
    let arguments = arguments.first == "help" ? Array(arguments.dropFirst()) : arguments
    var command = root
    var path: [String] = []
    for argument in arguments {
      let names = command.configuration.commands
      guard !names.isEmpty, !argument.hasPrefix("-") else { return nil }
      guard let found = names.first(where: { $0.name == argument }) else {
        let known = names.filter { $0.command.configuration.shouldDisplay }.map(\.name) + ["help"]
        // A group handles `help` itself.
        if argument == "help" { return nil }
        let shown = (path + [TerminalText.visible(argument)]).joined(separator: " ")
        if path.isEmpty, let own = FamiliarCommands.own(for: argument) {
          return "there is no command '\(shown)'; use `penstock \(own)`"
        }
        let near = NearestName.suggestion(for: argument, among: known)
        return "there is no command '\(shown)'; "
          + (near.map { "did you mean '\((path + [$0]).joined(separator: " "))'?" }
            ?? "there are \(known.joined(separator: ", "))")
      }
      command = found.command
      path.append(argument)
    }
    return nil
  }

  /// Returns the message for options that are not followed by a command.
  private func optionsAlone(in arguments: [String]) -> String? {
    guard let first = arguments.first, SharedOptions.names.contains(String(first.prefix { $0 != "=" })),
      SharedOptions.behindCommand(arguments) == arguments
    else { return nil }
    return
      "'\(first.prefix { $0 != "=" })' is an option of commands, but no command is given; `penstock help` lists them"
  }
}

extension CommandConfiguration {
  /// The subcommands, by name.
  fileprivate var commands: [(name: String, command: any ParsableCommand.Type)] {
    // Those in groups are included.
    subcommands.compactMap { command in command.configuration.commandName.map { ($0, command) } }
  }
}
