import ArgumentParser
import PipelineLanguage
import Values

/// What is said of a command that does not exist, which the parser takes for an argument of the command's group.
struct CommandSuggestion {
  let root: any ParsableCommand.Type

  /// `there is no command 'history stat'; did you mean 'history stats'?`; nil if the commands that are named first in `arguments` exist.
  func text(for arguments: [String]) -> String? {
    if let misplaced = misplacedOptions(in: arguments) { return misplaced }
    // What help is asked for must exist, too.
    let arguments = arguments.first == "help" ? Array(arguments.dropFirst()) : arguments
    var command = root
    var path: [String] = []
    for argument in arguments {
      let names = command.configuration.commands
      guard !names.isEmpty, !argument.hasPrefix("-") else { return nil }
      guard let found = names.first(where: { $0.name == argument }) else {
        let known = names.filter { $0.command.configuration.shouldDisplay }.map(\.name) + ["help"]
        // A group answers `help` itself.
        if argument == "help" { return nil }
        let shown = (path + [TerminalText.visible(argument)]).joined(separator: " ")
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

  /// `--json goes behind the command: penstock run --json …`; nil if the arguments begin with no option of the commands.
  private func misplacedOptions(in arguments: [String]) -> String? {
    var rest = arguments[...]
    var options: [String] = []
    while let option = rest.first, SharedOptions.names.contains(String(option.prefix { $0 != "=" })) {
      options.append(rest.removeFirst())
      if SharedOptions.valued.contains(option), let value = rest.popFirst() { options.append(value) }
    }
    guard let first = options.first else { return nil }
    let name = rest.first.flatMap { name in root.configuration.commands.first { $0.name == name }?.name }
    // A group of commands has its options behind the command in it.
    var path = [name ?? "COMMAND"]
    if name != nil, let inner = rest.dropFirst().first, hasCommand(inner, in: path[0]) { path.append(inner) }
    let words = (path + options).map { TerminalText.visible(ShellText.quoted($0)) }.joined(separator: " ")
    return "the option '\(first.prefix { $0 != "=" })' goes behind the command: penstock \(words) …"
  }

  private func hasCommand(_ name: String, in group: String) -> Bool {
    let group = root.configuration.commands.first { $0.name == group }?.command
    return group?.configuration.commands.contains { $0.name == name } ?? false
  }
}

extension CommandConfiguration {
  /// The subcommands with their names.
  fileprivate var commands: [(name: String, command: any ParsableCommand.Type)] {
    // Those of groups are among them.
    subcommands.compactMap { command in command.configuration.commandName.map { ($0, command) } }
  }
}
