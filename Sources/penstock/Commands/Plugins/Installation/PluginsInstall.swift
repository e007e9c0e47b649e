import ArgumentParser
import PipelineLanguage
import PluginHost
import PluginInstallation
import Values

struct PluginsInstall: ParsableCommand, Sendable {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Install the plugins that plugins.lock pins",
    discussion: """
      Downloads or copies the plugins that plugins.lock pins for this computer's architecture, except those that are \
      already installed, and installs only files with the SHA-256 of their line. It does not ask and changes no line, \
      so that CI needs only this command. Exits with 1 when a plugin could not be installed.

        penstock plugins install
        penstock plugins install --lock pipelines/plugins.lock
      """)

  @Option(
    help: ArgumentHelp(
      "The file with the pins", valueName: "file"), completion: .file())
  var lock = PluginLock.fileName
  @OptionGroup var shared: SharedOptions

  func run() throws {
    let installer = PluginInstaller.forCommands()
    let found: PluginLock?
    do throws(PluginError) { found = try PluginLock.read(lock) } catch { throw CommandFailure(error) }
    guard let found else {
      throw CommandFailure(
        "'\(TerminalText.visible(lock))' does not exist; name another file with --lock, or create it with 'penstock plugins add'"
      )
    }
    try CancellableWork.run(cleanUp: installer.cleanUp) {
      try install(found, by: installer)
    }
  }

  private func install(_ lock: PluginLock, by installer: PluginInstaller) throws {
    var failures: [InstallationError] = []
    for id in lock.ids {
      do throws(InstallationError) {
        let installed = try installer.install(id, of: lock)
        shared.output.print(installed.json) { show(installed) }
      } catch {
        failures.append(error)
        shared.output.print(
          JSONValue(members: [("id", .string(id)), ("outcome", "failed"), ("error", error.json)])
        ) {
          show("failed", .boldRed, "\(id)  \(error.message)")
        }
      }
      TextOutput.standard.flush()
    }
    if shared.output.isTalkative {
      let count = lock.ids.count
      TextOutput.standard.writeLine(
        count == 0
          ? "No plugins."
          : "\(Count.of(count, "plugin")): \(count - failures.count) installed, \(failures.count) failed")
    }
    guard let first = failures.first else { return }
    // A problem of this computer affects every plugin.
    throw failures.allSatisfy { $0.kind == .system } ? CommandFailure(first) : ExitStatus.failed
  }

  private func show(_ installed: InstalledPlugin) {
    guard !shared.quiet else { return }
    show(
      installed.outcome.rawValue, installed.outcome == .present ? .green : .yellow,
      "\(installed.id)  \(installed.version ?? "-")  \(installed.sha256.prefix(12))  \(installed.path)")
  }

  private func show(_ word: String, _ paint: Style.Paint, _ text: String) {
    TextOutput.standard.writeLine(
      shared.style.paint(word, paint) + String(repeating: " ", count: 10 - word.count) + TerminalText.visible(text))
  }
}
