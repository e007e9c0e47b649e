import PipelineEngine
import PipelineLanguage
import PipelineService
import RunHistory

/// The pipelines that a host serves, according to the current files: at most one version of each name is in effect, the last good one.
///
/// A pipeline that cannot be loaded does not affect the others.
struct PipelineCatalog {
  /// What is known about a file.
  private struct File {
    var stamp: FileStamp?
    /// The name of its pipeline: the name with which it was last loaded, else the name of the file. Nil if other files only include it.
    var name: String?
    var served: ServedPipeline?
    /// Its current problem.
    var problem: String?
    /// Why its folder cannot be searched, so that its current content is unknown.
    var folderProblem: String?
    /// Other files that it depends on.
    var others: [String: FileStamp?] = [:]
    /// Whether to check it again although it is unchanged, because the host has changed.
    var isUnchecked = false
  }

  /// The changes that a search has found.
  struct Difference {
    /// Pipelines that are new or have another version in effect.
    var begun: [ServedPipeline] = []
    /// Names of pipelines that are no longer served.
    var ended: [String] = []
    /// What to publish, whether or not another version is in effect.
    var changed: [PublishedPipeline] = []
    /// The absences of those in `begun` that were not in effect before.
    var absences: [String: PipelineAbsence] = [:]
    /// What to report about files.
    var notices: [Notice] = []
    /// Whether some files could not be read for lack of descriptors or memory: they are treated as unchanged, and must be read again.
    var isIncomplete = false
  }

  /// A report about a file.
  struct Notice {
    var isProblem: Bool
    var message: String
    var pipeline: String
  }

  private var paths: [String]
  /// The host that they are checked against.
  private var definition: HostDefinition
  private let plugins: PluginSource
  private let host: RunHost
  private let version: String
  private let names: PipelineFiles.Names
  private var files: [String: File] = [:]
  private var folders = FolderFindings()
  /// The reported problems of pipeline files, by name.
  private var told: [String: String] = [:]
  /// The latest published state, by name.
  private var published: [String: PublishedPipeline] = [:]
  private var atWork: [String: ServedPipeline] = [:]
  private var absences: PipelineAbsences

  init(
    paths: [String], of definition: HostDefinition, plugins: PluginSource, host: RunHost, version: String,
    names: @escaping PipelineFiles.Names = PipelineFiles.system
  ) {
    self.paths = paths
    self.names = names
    self.definition = definition
    self.plugins = plugins
    self.host = host
    self.version = version
    absences = PipelineAbsences(since: host.now())
  }

  /// Notes that the host has begun to serve the workspace, before the first search.
  ///
  /// - Parameters:
  ///   - time: The time at which it began.
  ///   - pipelines: What former hosts published last.
  ///   - hosts: The former hosts, the latest first.
  ///   - drains: When they were draining.
  mutating func hostBegins(
    at time: RecordTime, after pipelines: [PublishedPipeline], of hosts: [HostRecord], drains: [ClosedRange<RecordTime>]
  ) {
    absences = PipelineAbsences(since: time, drains: drains)
    absences.takeOver(pipelines, of: hosts)
  }

  /// Returns the version of a pipeline that is in effect.
  func pipeline(_ name: String) -> ServedPipeline? { atWork[name] }

  /// All versions in effect.
  var pipelines: some Collection<ServedPipeline> { atWork.values }

  /// The variables that contain secrets of any of them.
  var secretVariables: Set<String> { atWork.values.reduce(into: []) { $0.formUnion($1.secretVariables) } }

  /// Uses the files of another configuration from now on.
  mutating func change(to definition: HostDefinition, paths: [String]) {
    self.paths = paths
    let isSame = self.definition.queues.map(\.name) == definition.queues.map(\.name)
    self.definition = definition
    guard !isSame else { return }
    for path in files.keys { files[path]?.isUnchecked = true }
  }

  /// The problems of the served paths themselves, as opposed to the files below them.
  var folderProblems: [String] { folders.sentences }

  /// The number of pipelines with a problem.
  var problemCount: Int { published.values.count { $0.problem != nil } }

  /// The folders and files in which a change may mean another pipeline or another version.
  private(set) var watchedPaths: Set<String> = []

  /// Searches all files, and loads those that are new or have changed.
  ///
  /// - Parameters:
  ///   - isOver: Returns whether the result is no longer wanted; asked before each file, because thousands take seconds.
  ///   - onFile: Called with the path of each file before it is looked at.
  /// - Returns: The changes; incomplete if the result was no longer wanted.
  mutating func look(
    unless isOver: () -> Bool = { false }, onFile: (_ path: String) -> Void = { _ in }
  ) -> Difference {
    var difference = Difference()
    let found = PipelineFiles(paths, names: names)
    guard found.isComplete else {
      difference.isIncomplete = true
      return difference
    }
    var folders = folders
    let notices = folders.take(found, of: paths)
    // A named path may appear later, and a folder that cannot be searched may become readable.
    watchedPaths = Set(found.folders + paths + found.problems.map(\.path))
    let present = found.files.filter { !folders.isGone($0) }
    for path in Set(files.keys).subtracting(present) {
      let problem = folders.problem(above: path)
      if problem == nil { files[path] = nil } else { files[path]?.folderProblem = problem }
    }
    for path in present {
      guard !isOver() else {
        difference.isIncomplete = true
        break
      }
      files[path]?.folderProblem = nil
      onFile(path)
      if !look(at: path) { difference.isIncomplete = true }
    }
    // What has been loaded takes effect together with the rest.
    guard !difference.isIncomplete else { return difference }
    for file in files.values { watchedPaths.formUnion(file.others.keys) }
    self.folders = folders
    difference.notices += notices
    settle(&difference)
    return difference
  }

  /// Returns false if the file could not be read for lack of a descriptor.
  private mutating func look(at path: String) -> Bool {
    let stamp = FileStamp(path)
    var former: ServedPipeline?
    if let known = files[path], known.stamp == stamp, known.others.allSatisfy({ FileStamp($0.key) == $0.value }) {
      guard known.isUnchecked else { return true }
      former = known.served
    }
    let result = PipelineLoader.load(
      path: path, plugins: plugins,
      host: .host(definition).withExecutors(workspace: host.history.workspace.directory))
    guard !result.lacksResources else { return false }
    var file = files[path] ?? File(stamp: stamp, name: PipelineFiles.pipelineName(of: path))
    file.stamp = stamp
    file.isUnchecked = false
    let others = result.sources.map(\.path).filter { $0 != path } + result.settingFiles
    file.others = Dictionary(others.map { ($0, FileStamp($0)) }) { first, _ in first }
    if let pipeline = result.pipeline {
      // A change of the host alone does not create another version.
      let served = former ?? ServedPipeline(pipeline, in: host, version: version)
      file.problem = served.obstacle
      file.name = pipeline.name
      // A pipeline that cannot run by itself can still be started with params.
      file.served = served
    } else if result.templateCount != nil, !result.ownDiagnostics.contains(where: { $0.severity == .error }) {
      (file.name, file.served, file.problem) = (nil, nil, nil)
    } else {
      file.name = file.name ?? PipelineFiles.pipelineName(of: path)
      file.problem = DiagnosticRenderer().render(
        result.diagnostics.filter { $0.severity == .error }, in: result.sources)
    }
    files[path] = file
    return true
  }

  /// Decides which version of each name is in effect.
  private mutating func settle(_ difference: inout Difference) {
    let byName = withFormerNames(Dictionary(grouping: files.filter { $0.value.name != nil }) { $0.value.name ?? "" })
    for name in Set(atWork.keys).union(published.keys) where byName[name] == nil {
      atWork[name] = nil
      published[name] = nil
      told[name] = nil
      absences.note(.notServed, of: name, at: host.now())
      difference.ended.append(name)
    }
    for (name, candidates) in byName.sorted(by: { $0.key < $1.key }) {
      settle(name, candidates.sorted { $0.key < $1.key }, &difference)
    }
    absences.endLook()
  }

  /// A file that now claims the name of another one keeps its previous name and version, marked with the conflict, until that is resolved.
  private func withFormerNames(
    _ byName: [String: [(key: String, value: File)]]
  ) -> [String: [(key: String, value: File)]] {
    var all = byName
    for (name, candidates) in byName where candidates.count > 1 {
      let paths = Set(candidates.map(\.key))
      for former in atWork.values where former.name != name && paths.contains(former.path) && byName[former.name] == nil
      {
        let file = File(
          name: former.name, served: former,
          problem: PublishedPipeline.problem(of: paths.sorted(), claiming: name))
        all[former.name] = [(former.path, file)]
      }
    }
    return all
  }

  private mutating func settle(
    _ name: String, _ candidates: [(key: String, value: File)], _ difference: inout Difference
  ) {
    let former = atWork[name]
    // A problem of a folder is reported once for all of its pipelines.
    var problem = candidates.compactMap(\.value.problem).first
    defer { told[name] = problem }
    var next: ServedPipeline?
    if candidates.count > 1 {
      problem = PublishedPipeline.problem(of: candidates.map(\.key), claiming: name)
      // The file that had the name keeps it, with its version.
      next = former
    } else {
      next = candidates.first?.value.served
    }
    if let next {
      if former?.hash != next.hash || former?.path != next.path || former?.loadedAt != next.loadedAt {
        atWork[name] = next
        difference.begun.append(next)
        if next.isIdle {
          absences.note(.invalidParams, of: name, at: host.now())
        } else if former?.isIdle ?? true {
          difference.absences[name] = absences.end(name, at: host.now())
        }
      }
    } else {
      atWork[name] = nil
      absences.note(.invalidDefinition, of: name, at: host.now())
    }
    let entry = PublishedPipeline(
      name: name, path: candidates.first?.key ?? "", served: next,
      problem: problem ?? candidates.compactMap(\.value.folderProblem).first,
      at: absences.invalid(name) ?? host.now())
    guard published[name] != entry else { return }
    published[name] = entry
    difference.changed.append(entry)
    if let problem, told[name] != problem {
      let consequence =
        entry.isUnattended ? "" : next == nil ? " and not served" : "; its last good version stays in effect"
      difference.notices.append(
        Notice(isProblem: true, message: "'\(name)' is invalid\(consequence): \(problem)", pipeline: name))
    } else if problem == nil, told[name] != nil {
      difference.notices.append(Notice(isProblem: false, message: "'\(name)' is valid again", pipeline: name))
    }
  }
}

extension PublishedPipeline {
  fileprivate init(name: String, path: String, served: ServedPipeline?, problem: String?, at time: RecordTime) {
    self.init(name: name, path: served?.path ?? path, loadedAt: served?.loadedAt ?? time)
    self.problem = problem
    isLoaded = served != nil
    guard let outline = served?.outline else { return }
    description = outline.description
    labels = outline.labels
    queue = outline.scheduling.queue ?? QueuedRun.defaultQueue
    priority = outline.scheduling.priority
    var texts = outline.controllers.map(\.use.offer)
    if let formula = outline.automatic { texts.append("automatic: \(formula.text)") }
    if let formula = outline.rerunOnChange { texts.append("rerun_on_change: \(formula.text)") }
    causes = texts.isEmpty ? nil : texts.joined(separator: ", ")
  }
}
