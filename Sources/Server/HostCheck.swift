import PipelineLanguage
import PipelineService
import RunHistory
import Workspace

/// All problems of what a host would serve, found without serving it.
package struct HostCheck {
  /// The findings, in the order of ``sources``.
  package private(set) var findings: [Diagnostic] = []
  /// The texts that the findings refer to.
  package private(set) var sources: [SourceText] = []
  /// The number of files that are pipelines, with or without errors.
  package private(set) var pipelines = 0
  /// Whether files could not be read for lack of descriptors or memory. They may be correct.
  package private(set) var lacksResources = false

  /// Whether the host would refuse to serve the workspace.
  package private(set) var isRefused = false

  /// The paths of ``sources``.
  private var known: Set<String> = []

  /// Whether the host would fail to serve something that it should serve.
  package var hasErrors: Bool { findings.contains { $0.severity == .error } }

  /// - Parameters:
  ///   - paths: Files and folders of pipelines, absolute.
  ///   - location: The workspace.
  ///   - file: The result of reading the file of the host; nil without one.
  ///   - plugins: Where plugins are found.
  ///   - networkFileSystem: The name of the network file system of a workspace; nil if it is on a local one.
  package init(
    _ paths: [String], location: WorkspaceLocation, file: HostLoadResult?, plugins: PluginSource,
    networkFileSystem: (WorkspaceLocation) -> String? = { $0.networkFileSystem }
  ) {
    var missing: Set<String> = []
    if let file {
      lacksResources = file.lacksResources
      add(file.diagnostics, in: [file.source])
      if let host = file.host, host.pipelines == paths {
        add(host.missingPaths(), in: [file.source])
        missing.formUnion(paths)
      }
    }
    checkWorkspace(location, networkFileSystem(location))
    let found = PipelineFiles(paths)
    // A named path that does not exist was reported with the place where it is named.
    missing.formIntersection(found.given.filter { $0.value == .missing }.keys)
    for problem in found.problems {
      add(problem.path, "cannot search '\(problem.path)': \(problem.reason)", DiagnosticCode.fileUnreadable.rawValue)
    }
    for entry in found.leftOut {
      add(entry.path, "'\(entry.path)' \(entry.reason); ignoring it", DiagnosticCode.fileUnreadable.rawValue)
    }
    let host = (file?.hostSource ?? .host(HostDefinition())).withExecutors(workspace: location.path)
    var names: [String: String] = [:]
    var unknown = UnknownPipelines()
    for path in found.files where !missing.contains(path) {
      let result = PipelineLoader.load(path: path, plugins: plugins, host: host)
      if result.lacksResources { lacksResources = true }
      // A file for others to include.
      guard result.templateCount == nil || result.pipeline != nil else { continue }
      pipelines += 1
      add(result.diagnostics, in: result.sources)
      add(result.pipeline.flatMap(UnattendedParameters.init)?.findings ?? [], in: result.sources)
      if let pipeline = result.pipeline {
        unknown.add(pipeline, in: result.sources)
      } else {
        unknown.add(PipelineFiles.pipelineName(of: path))
      }
      guard let name = result.pipeline?.name, let other = names.updateValue(path, forKey: name) else { continue }
      let finding = Diagnostic(
        otherCode: DiagnosticCode.duplicateName.rawValue, "'\(other)' already has the pipeline name '\(name)'",
        file: path, range: .beginning, fix: "rename one of them")
      add([finding], in: result.sources)
    }
    for (finding, sources) in unknown.findings { add([finding], in: sources) }
  }

  /// Finds what would prevent the host from serving the workspace, in the words of the host.
  private mutating func checkWorkspace(_ location: WorkspaceLocation, _ networkFileSystem: String?) {
    if let name = networkFileSystem {
      let error = ServerError.onNetwork(name, workspace: location.path)
      isRefused = true
      return add(location.path, "\(error)", error.code)
    }
    do throws(WorkspaceError) {
      try History.requireWritable(at: location.path)
    } catch {
      isRefused = true
      add(location.path, FailureReport(error)?.description ?? "\(error)", error.code)
    }
  }

  private mutating func add(_ found: [Diagnostic], in texts: [SourceText]) {
    // Of ten thousand files, most are correct, and their texts need not be kept.
    guard !found.isEmpty else { return }
    findings += found
    for text in texts where known.insert(text.path).inserted { sources.append(text) }
  }

  private mutating func add(_ path: String, _ message: String, _ code: String) {
    findings.append(Diagnostic(otherCode: code, message, file: path, range: .beginning))
  }

  /// The text for people: each finding with its place; empty if there are none.
  package var text: String { DiagnosticRenderer().render(findings, in: sources) }

  /// The output for programs: one object per line, as `penstock check --json` prints it.
  package var lines: [String] {
    DiagnosticRenderer.sorted(findings, files: sources.map(\.path)).map { $0.jsonValue().text }
  }
}
