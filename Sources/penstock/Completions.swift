import ArgumentParser
import Values

struct Completions: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "completions",
    abstract: "Print a completion script for a shell",
    discussion: """
      bash:  penstock completions bash > ~/.local/share/bash-completion/completions/penstock \
      zsh:   penstock completions zsh > "${fpath[1]}/_penstock" \
      fish:  penstock completions fish > ~/.config/fish/completions/penstock.fish
      """)

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  @Argument(help: "The shell: bash, zsh or fish")
  var shell: Shell

  @OptionGroup var shared: SharedOptions

  func run() {
    let target: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    let script = ShellScript.fit(Penstock.completionScript(for: target), to: target)
    let value: JSONValue = ["shell": .string(shell.rawValue), "script": .string(script)]
    shared.output.choose(
      json: { TextOutput.standard.writeLine(value.text) }, text: { TextOutput.standard.writeLine(script) })
  }
}

/// Adds what the argument parser's scripts lack for candidates such as `limit=`, which must not be followed by a space.
private enum ShellScript {
  static func fit(_ script: String, to shell: CompletionShell) -> String {
    switch shell {
    case .bash:
      script + """

        __penstock_without_blank() {
            _penstock "${@}"
            if [[ "${#COMPREPLY[@]}" -gt 0 && "${COMPREPLY[0]}" = *= ]]; then
                compopt -o nospace
            fi
        }
        complete -o filenames -F __penstock_without_blank penstock
        """
    case .zsh:
      script.replacing(
        "    local -a completions\n    completions=(",
        with: "    local -a completions names\n    completions=("
      ).replacing(
        "    if [[ \"${#completions[@]}\" -gt 1 ]]; then\n",
        with: """
              names=("${(@)completions[@]%%:*}")
              if [[ "${#completions[@]}" -gt 1 && "${completions[1]}" = *=(|:*) ]]; then
                  compadd -S '' -- "${(@)names[1,-2]}"
              elif [[ "${#completions[@]}" -gt 1 ]]; then

          """)
    // fish adds no space after an equals sign.
    default: script
    }
  }
}
