import ArgumentParser
import Values

struct Completions: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "completions",
    abstract: "Print a completion script for a shell.",
    discussion: """
      bash:  penstock completions bash > ~/.local/share/bash-completion/completions/penstock
      zsh:   penstock completions zsh > "${fpath[1]}/_penstock"
      fish:  penstock completions fish > ~/.config/fish/completions/penstock.fish
      """)

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: Shell

  @OptionGroup var shared: SharedOptions

  func run() {
    let target: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    let script = Penstock.completionScript(for: target)
    let value: JSONValue = ["shell": .string(shell.rawValue), "script": .string(script)]
    shared.output.choose(
      json: { TextOutput.standard.writeLine(value.text) }, text: { TextOutput.standard.writeLine(script) })
  }
}
