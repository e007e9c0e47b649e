import ArgumentParser
import PipelineLanguage
import PluginHost
import PluginInstallation
import Values

struct PluginsRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove an added plugin, and its lines in plugins.lock",
    discussion: """
      Deletes the plugin's file in ~/.local/lib/penstock/plugins, and its lines for all architectures in plugins.lock in \
      the current directory. Does not touch plugins in other directories. Processes that run the plugin keep it until \
      they end.

        penstock plugins remove words
      """)

  @Argument(help: ArgumentHelp("The plugin's id", valueName: "id"))
  var id: String
  @Option(help: ArgumentHelp("The file with the pins", valueName: "file"), completion: .file())
  var lock = PluginLock.fileName
  @OptionGroup var shared: SharedOptions

  func run() throws {
    do throws(InstallationError) {
      let (file, lines) = try PluginInstaller.forCommands().remove(id, lock: lock)
      let json = JSONValue(members: [
        ("id", .string(id)), ("outcome", "removed"), ("path", file.map { .string($0) } ?? .null),
        ("lines", .int(Int64(lines.count))),
      ])
      shared.output.confirm(json) {
        var parts: [String] = []
        if let file { parts.append(file) }
        if !lines.isEmpty { parts.append("\(Count.of(lines.count, "line")) of \(lock)") }
        TextOutput.standard.writeLine(TerminalText.visible("Removed \(parts.joined(separator: ", and "))"))
      }
    } catch {
      if shared.json {
        TextOutput.standard.writeLine(
          JSONValue(members: [("id", .string(id)), ("outcome", "failed"), ("error", error.json)]))
      }
      throw CommandFailure(error)
    }
  }
}
