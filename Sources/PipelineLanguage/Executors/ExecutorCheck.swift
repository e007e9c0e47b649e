import Glibc
import OperatingSystem
import Values

/// Checks what a pipeline asks of executors against the file of the site.
struct ExecutorCheck {
  /// The workspace, beside which the file may be.
  let workspace: String

  /// Returns the findings in one pipeline and, if something in it uses them, in the file of the site, with that file.
  func findings(in pipeline: PipelineDefinition) -> (found: [Diagnostic], source: SourceText?) {
    let operations = (pipeline.operations + pipeline.handlers.map(\.operation)).filter { $0.executor?.isLocal == false }
    guard !operations.isEmpty else { return ([], nil) }
    let loaded = SiteDefinition.find(workspace: workspace)
    var found = loaded.diagnostics
    for operation in operations {
      guard let use = operation.executor, let name = use.name, let place = use.place else { continue }
      if let site = loaded.site {
        found += findings(of: operation.name, use, name, at: place, in: site)
      } else if loaded.source == nil {
        found.append(missingFile(name, at: place))
      }
    }
    return (found, loaded.source)
  }

  private func findings(
    of operation: String, _ use: ExecutorUse, _ name: String, at place: HostUse.Place, in site: SiteDefinition
  ) -> [Diagnostic] {
    guard let cluster = site.cluster(name) else {
      let names = [ExecutorUse.local] + site.clusters.map(\.name)
      return [
        Diagnostic(
          code: .unknownWord, "there is no executor '\(name)'", file: place.file, range: place.range,
          fix: NearestName.suggestion(for: name, among: names).map { "did you mean '\($0)'?" },
          note: Diagnostic.Note(
            message: "the executors are \(names.joined(separator: ", "))", file: site.path, range: .beginning))
      ]
    }
    var found: [Diagnostic] = []
    if let problem = cluster.problemWithShared {
      found.append(
        Diagnostic(
          code: .wrongForm, "the directory '\(cluster.shared)' of the executor '\(name)' \(problem)", file: site.path,
          range: cluster.range))
    }
    for (setting, most) in cluster.limits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let amounts = (use.values[setting] ?? []).compactMap(ExecutorUse.amount)
      guard let amount = amounts.max(), amount > most, let place = use.places[setting] else { continue }
      let unit = setting == .memory ? " MiB" : setting == .time ? " minutes" : ""
      found.append(
        Diagnostic(
          code: .outOfRange,
          "'\(operation)' asks for \(amount)\(unit) of '\(setting.rawValue)', but the limit of '\(name)' is \(most)\(unit)",
          file: place.file, range: place.range,
          note: Diagnostic.Note(message: "the limits of '\(name)'", file: site.path, range: cluster.range)))
    }
    return found
  }

  private func missingFile(_ name: String, at place: HostUse.Place) -> Diagnostic {
    let places = SiteDefinition.places(workspace: workspace).map { "'\($0)'" }.joined(separator: ", ")
    return Diagnostic(
      code: .fileNotFound, "the executor '\(name)' is not defined: there is none of \(places)", file: place.file,
      range: place.range,
      fix:
        "create one: executors: { \(name): { slurm: { shared: /DIRECTORY/OF/ALL/NODES, program: /PATH/OF/penstock } } }"
    )
  }

}

extension SiteDefinition.Cluster {
  /// Why attempts cannot have their directories in `shared`; nil if they can.
  package var problemWithShared: String? {
    var status = stat()
    guard stat(shared, &status) == 0 else { return "cannot be used: \(SystemError.text(of: errno))" }
    guard status.st_mode & S_IFMT == S_IFDIR else { return "is not a directory" }
    guard status.st_uid == getuid() else { return "belongs to another user" }
    guard status.st_mode & 0o022 == 0 else { return "can be written by others; restrict it: chmod go-w" }
    return nil
  }
}
