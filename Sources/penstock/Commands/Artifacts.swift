import ArgumentParser
import Expressions
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct Artifacts: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "artifacts",
    abstract: "List the files that a run has kept, or copy them",
    discussion: """
      Lists the files that the operations of a run have kept under `artifacts`. With --output, copies them to a \
      directory: a file that you name goes to its original path in that directory; without a name, each goes to \
      that path below OPERATION/ARTIFACT.

        penstock artifacts last
        penstock artifacts last report --output .
        penstock artifacts last 'convert[3].table' -o out
        penstock artifacts 03kx9fab --output artifacts
      """)

  @Argument(help: ArgumentHelp("The run: its id, the beginning of it, or `last`", valueName: "run"))
  var runName = "last"

  @Argument(
    help:
      "The artifact, the operation that kept it, or `operation.artifact`; `name[3]` or `name[label]` for an item of a loop"
  )
  var name: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Copy the files to this directory, and create it if it is missing", valueName: "directory"),
    completion: .directory)
  var output: String?

  @Flag(help: "Overwrite existing files")
  var force = false

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if force, output == nil { throw ValidationError("--force needs --output.") }
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistory()
    let reference = RunReference(history: history)
    let record = try reference.find(runName)
    let all = RunArtifact.all(of: try history.operations(of: record.id))
    let absence = all.isEmpty ? try ArtifactWhereabouts(of: record, in: reference).absence() : ""
    let chosen = try choose(from: all, of: reference.short(record.id), absence)
    guard let output else { return list(chosen, absence) }
    try fetch(chosen, to: output, workspace: history.workspace.directory)
  }

  private func choose(from all: [RunArtifact], of run: String, _ absence: String) throws -> [RunArtifact] {
    guard let name else { return all }
    let chosen = all.filter { $0.isMeant(by: name) }
    guard chosen.isEmpty else { return chosen }
    if all.isEmpty { throw CommandFailure(absence) }
    let names = all.flatMap { [$0.artifact.name, $0.fullName] }
    let fix =
      NearestName.suggestion(for: name, among: names).map { "did you mean '\(TerminalText.visible($0))'?" }
      ?? "it has \(Set(all.map(\.fullName)).sorted().prefix(12).map { TerminalText.visible($0) }.joined(separator: ", "))"
    throw CommandFailure("run \(run) has no artifact '\(TerminalText.visible(name))'; \(fix)")
  }

  private func list(_ artifacts: [RunArtifact], _ absence: String) {
    shared.output.print {
      artifacts.map(\.jsonValue)
    } text: {
      guard !artifacts.isEmpty else {
        if !shared.quiet { TextOutput.error.writeLine(absence) }
        return
      }
      TextOutput.standard.write(ArtifactText.table(artifacts).render(width: shared.tableWidth, style: shared.style))
    }
  }

  private func fetch(_ artifacts: [RunArtifact], to directory: String, workspace: String) throws {
    // A named artifact needs no folder of its own; in a whole run, files of different artifacts may have the same name.
    let parts = artifacts.map {
      ArtifactExport.Part($0.artifact, to: name == nil ? [$0.operation, $0.artifact.name] : [])
    }
    var seen: [String: RunArtifact] = [:]
    for (part, artifact) in zip(parts, artifacts) {
      for path in part.artifact.paths {
        guard let other = seen.updateValue(artifact, forKey: (part.place + [path]).joined(separator: "/")) else {
          continue
        }
        throw CommandFailure(
          "'\(TerminalText.visible(other.fullName))' and '\(TerminalText.visible(artifact.fullName))' both have '\(TerminalText.visible(path))'; copy one of them, or all by leaving out the name"
        )
      }
    }
    let copied: [String]
    do throws(ArtifactExport.Failure) {
      copied = try ArtifactExport(from: workspace, to: directory).copy(parts, replacing: force)
    } catch {
      let advice = error.number == 17 ? "; overwrite it with --force" : ""
      throw CommandFailure("\(TerminalText.visible(error.description))\(advice)")
    }
    shared.output.confirm(["directory": .string(directory), "paths": .array(copied.map { .string($0) })]) {
      for path in copied { TextOutput.standard.writeLine(TerminalText.visible(path)) }
    }
  }
}
