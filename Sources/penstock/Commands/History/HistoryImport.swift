import ArgumentParser
import Glibc
import OperatingSystem
import PipelineLanguage
import PipelineService
import RunHistory
import Values

struct HistoryImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import runs that `history export` wrote",
    discussion: """
      Keeps runs that exist already as they are, so the same file may be imported twice. Skips runs that had not \
      ended. An export does not contain logs and results larger than 1 MiB; --files names the workspace to copy \
      them from. Import only files you trust: `resume` executes what an interrupted run contains.

        penstock history import history.jsonl --files ~/other/.penstock
        gunzip -c history.jsonl.gz | penstock history import
      """)

  @Argument(
    help: "The file, or - for standard input", completion: .file(extensions: ["jsonl", "ndjson", "json"]))
  var file = "-"

  @Option(
    help: ArgumentHelp(
      "Copy logs and large results from this workspace, or a copy of it",
      valueName: "path"), completion: .directory)
  var files: String?

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    if let files, access(files + "/runs", R_OK | X_OK) != 0 {
      throw CommandFailure(
        "--files: cannot read '\(TerminalText.visible(files))/runs': \(SystemError.text(of: errno))")
    }
    let lines = try LineReader(file)
    let history = try History.open(at: try shared.location().path, mode: .readWrite)
    let report: ImportReport
    let entry = CountedEntry(
      AuditEntry(
        time: .now, by: Requester(QuestionAnswer.loginName()), .import, "*", detail: "from \(lines.name)"))
    do {
      report = try history.importRuns(in: entry, filesFrom: files) { try lines.next() }
    } catch let error as ImportError {
      throw CommandFailure(
        "\(lines.name) cannot be imported: \(TerminalText.visible(error.description)). "
          + "The runs before that line were imported; nothing else was changed")
    }
    // Saves the first statistics from counting the imported runs.
    try history.tallyPastDays()
    let value: JSONValue = [
      "imported": JSONValue(report.imported.count), "known": JSONValue(report.known),
      "unfinished": JSONValue(report.unfinished), "copied_files": JSONValue(report.copiedFiles),
      "missing_files": JSONValue(report.missingFiles),
    ]
    shared.output.confirm(value) {
      var text = "Imported \(Count.of(report.imported.count, "run"))"
      if report.copiedFiles > 0 { text += " with \(Count.of(report.copiedFiles, "file"))" }
      if report.known > 0 { text += ", \(report.known) existed already" }
      if report.unfinished > 0 { text += ", skipped \(report.unfinished) that had not ended" }
      TextOutput.standard.writeLine(text + ".")
      if report.missingFiles > 0 {
        TextOutput.standard.writeLine(
          "\(Count.of(report.missingFiles, "file")) with logs and large results \(report.missingFiles == 1 ? "is" : "are") not here: "
            + "an export contains only their names. To copy them, import with --files into a workspace that does not have these runs."
        )
      }
    }
  }
}
