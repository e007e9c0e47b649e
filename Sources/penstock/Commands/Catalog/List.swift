import ArgumentParser
import OperatingSystem
import PipelineLanguage
import RunHistory
import Schedules
import Values

struct List: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "list",
    abstract: "List the pipelines in a folder",
    discussion: """
      Shows each pipeline file (*.yaml, *.yml) with its description, its params (a star marks those that are \
      required), its latest run and the next time of its schedules. Files without operations are left out. \
      Subfolders are not searched, except .penstock.

        penstock list
        penstock list pipelines --json
        penstock list pipelines --config host.yaml
      """)

  @Argument(help: "The folder", completion: .directory)
  var folder = "."

  @OptionGroup var labels: LabelFilterOptions

  @OptionGroup var config: HostFileOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let folders = [folder, PathText.join(folder, ".penstock")]
    guard InputFile.kind(of: folder) == .directory else {
      throw CommandFailure("'\(folder)' is not a folder; name one that holds pipeline files")
    }
    let labels = try labels.labels()
    let source = plugins.source()
    let host = try config.host(shared)
    let location = try shared.serving(host).location(for: PathText.join(folder, "pipeline.yaml"))
    // A host's workspace exists only once the host has run.
    let isNew = shared.workspace == nil && host?.workspace != nil && !location.hasDatabase
    let history = isNew ? nil : try location.historyIfPresent()
    var entries: [CatalogEntry] = []
    var found = 0
    for path in folders.flatMap(Self.files) {
      guard let entry = try entry(path, source, host, history) else { continue }
      found += 1
      if labels.allSatisfy({ $0.isAmong(entry.pipeline?.labels ?? [:]) }) { entries.append(entry) }
    }
    let now = UnixTime(RecordTime.now.secondsSince1970)
    shared.output.print {
      entries.map { $0.jsonValue(now: now) }
    } text: {
      if entries.isEmpty {
        guard !shared.quiet else { return }
        let place = "in '\(TerminalText.visible(folder))'"
        return TextOutput.standard.writeLine(
          found > 0
            ? "None of the pipelines \(place) matches \(RunText.list(self.labels.given))."
            : "No pipelines \(place). Create one with `penstock init FILE`.")
      }
      show(entries, now: now)
    }
  }

  /// Returns the files in a folder that may be pipelines, by name.
  private static func files(in folder: String) -> [String] {
    DirectoryNames.of(folder).filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted()
      .map { PathText.join(folder, $0) }.filter { InputFile.kind(of: $0) == .regular }
  }

  /// Returns what is known of a file; nil if it is not a pipeline.
  private func entry(
    _ path: String, _ plugins: PluginSource, _ host: HostDefinition?, _ history: History?
  ) throws -> CatalogEntry? {
    let result = PipelineLoader.load(path: path, plugins: plugins, host: host.map(HostSource.host) ?? .none)
    if result.pipeline == nil, result.templateCount != nil || !result.source.text.contains("operations") { return nil }
    let name = result.pipeline?.name
    let latest = try name.flatMap { try history?.runs(RunFilter(pipeline: $0, limit: 1)).first }
    return CatalogEntry(
      path: path, pipeline: result.pipeline, errors: result.diagnostics.count { $0.severity == .error },
      latestRun: latest)
  }

  private func show(_ entries: [CatalogEntry], now: UnixTime) {
    var table = Table([
      .init("FILE"), .init("PARAMS"), .init("LATEST RUN"), .init("NEXT", keeping: Table.time), .init("DESCRIPTION"),
    ])
    let moment = RecordTime.now
    for entry in entries {
      guard let pipeline = entry.pipeline else {
        let errors = Count.of(entry.errors, "error")
        let host = config.path.map { " --config \(ShellText.quoted($0))" } ?? ""
        table.add(entry.path, "", "", "", "\(errors): penstock check\(host) \(ShellText.quoted(entry.path))")
        continue
      }
      let latest = entry.latestRun.map {
        "\($0.state.rawValue) \(ClockText.ago($0.startedAt ?? $0.createdAt, now: moment))"
      }
      let next = entry.next(after: now).map { ClockText.dateAndTime(RecordTime(secondsSince1970: Double($0))) }
      table.add(
        entry.path, entry.parameters, latest ?? "never",
        next ?? entry.otherControllers.joined(separator: " "), TerminalText.oneLine(pipeline.description ?? ""))
    }
    TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style))
  }
}
