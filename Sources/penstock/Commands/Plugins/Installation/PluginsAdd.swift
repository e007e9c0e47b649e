import ArgumentParser
import Glibc
import PipelineLanguage
import PluginHost
import PluginInstallation
import Values

struct PluginsAdd: ParsableCommand, Sendable {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a plugin from a file or URL, and pin it in plugins.lock",
    discussion: """
      Downloads or copies the shared object (https, http or file), checks it in separate processes, shows its offers \
      and SHA-256, and asks for confirmation. Then installs it in ~/.local/lib/penstock/plugins, which is searched \
      last, and pins it in plugins.lock in the current directory: run the command beside the pipeline files that use \
      the plugin, and commit plugins.lock with them. With --sha256, a file with another hash is never loaded.

        penstock plugins add https://example.org/words-1.2.0-x86_64.so
        penstock plugins add ./words.so --yes
      """)

  @Argument(
    help: ArgumentHelp("The shared object", valueName: "file-or-url"), completion: .file(extensions: ["so"]))
  var source: String

  @Option(help: ArgumentHelp("The SHA-256 that the file must have", valueName: "hash"))
  var sha256: String?
  @Flag(help: "Do not ask; required without a terminal and with --json")
  var yes = false
  @Flag(help: "Replace another installed version of the plugin")
  var replace = false
  @Option(help: ArgumentHelp("The file with the pins", valueName: "file"), completion: .file())
  var lock = PluginLock.fileName
  @OptionGroup var shared: SharedOptions

  func run() throws {
    let sha256 = try givenHash()
    if !yes {
      guard !shared.json else { throw CommandFailure("--json needs --yes, because it cannot ask") }
      guard isatty(STDIN_FILENO) == 1 else {
        throw CommandFailure(
          "standard input is not a terminal, so penstock cannot ask whether to add the plugin; if you trust it, pass --yes, and "
            + "--sha256 with the hash that its author publishes")
      }
    }
    let installer = PluginInstaller.forCommands()
    try CancellableWork.run(cleanUp: installer.cleanUp) {
      try add(by: installer, sha256: sha256)
    }
  }

  private func givenHash() throws -> String? {
    guard let sha256 else { return nil }
    let hash = sha256.lowercased()
    guard hash.utf8.count == 64, hash.utf8.allSatisfy(Array("0123456789abcdef".utf8).contains) else {
      throw CommandFailure("--sha256 '\(TerminalText.visible(sha256))' is not an SHA-256; write 64 hexadecimal digits")
    }
    return hash
  }

  private func add(by installer: PluginInstaller, sha256: String?) throws {
    do throws(InstallationError) {
      try installer.requireLock(lock)
      let candidate = try installer.examine(try InstallationSource(source), sha256: sha256)
      if shared.output.isTalkative || !yes { CandidateText(style: shared.style).write(candidate) }
      if !candidate.isInstalled, !isWanted(candidate) {
        TextOutput.error.writeLine("penstock: not added")
        throw Declined.error
      }
      let installed = try installer.publish(candidate, isReplacing: replace, lock: lock)
      shared.output.confirm(json(candidate, installed)) { TextOutput.standard.writeLine(text(candidate, installed)) }
    } catch {
      if error == Declined.error { throw ExitStatus.failed }
      if shared.json {
        TextOutput.standard.writeLine(
          JSONValue(members: [("outcome", "failed"), ("source", .string(source)), ("error", error.json)]))
      }
      throw CommandFailure(error)
    }
  }

  /// The answer no, as an error that is never shown.
  private enum Declined {
    static let error = InstallationError(.cancelled, "declined")
  }

  private func isWanted(_ candidate: PluginCandidate) -> Bool {
    // Another version is rejected without a question.
    guard !yes, candidate.former == nil || replace else { return true }
    TextOutput.standard.flush()
    TextOutput.error.write(candidate.former == nil ? "Add it? [y/N] " : "Replace the installed one? [y/N] ")
    TextOutput.error.flush()
    return ["y", "yes"].contains(readLine()?.lowercased())
  }

  private func text(_ candidate: PluginCandidate, _ installed: InstalledPlugin) -> String {
    let name = "\(installed.id) \(installed.version ?? "")"
    let what =
      switch installed.outcome {
      case .added: "Added \(name)"
      case .replaced: "Replaced \(installed.id) \(candidate.former?.version ?? "") with \(installed.version ?? "")"
      case .present: "\(name) is already installed"
      }
    return TerminalText.visible("\(what), and pinned in \(lock)")
  }

  private func json(_ candidate: PluginCandidate, _ installed: InstalledPlugin) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("source", .string(candidate.source.shown)), ("size", .int(candidate.size)), ("lock", .string(lock)),
      (
        "offers",
        .array(
          candidate.description.offers.map {
            ["kind": .string($0.kind.rawValue), "id": .string($0.id), "summary": .string($0.summary)]
          })
      ),
    ]
    if let former = candidate.former, installed.outcome == .replaced {
      members.append(("replaced_version", former.version.map { .string($0) } ?? .null))
      members.append(("replaced_sha256", former.sha256.map { .string($0) } ?? .null))
    }
    return installed.json.adding(members)
  }
}
