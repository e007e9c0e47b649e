import PipelineLanguage
import RunHistory
import Values

/// An error: a request for a served pipeline cannot be carried out.
package enum ServedPipelineError: ServiceError {
  /// The pipelines that are served instead.
  package enum Others: Sendable, Hashable {
    case some
    /// None by the latest host; nil if there never was one.
    case none(HostRecord?)
  }

  /// No host of the workspace serves a pipeline of that name. `near` is the name that was probably meant.
  case unknown(String, workspace: String, near: String?, others: Others)
  /// Nothing is known of a pipeline of that name: none is served, has run, or could have. `near` is the name that was probably meant.
  case unheardOf(String, workspace: String, near: String?)
  /// No pipeline has the labels.
  case none(labels: String, workspace: String)
  /// No pipeline is served at all.
  case nothingServed(workspace: String, by: HostRecord?)
  /// The files at `paths` have the same pipeline name.
  case duplicate(String, paths: [String])
  /// The file at `path`, which defined the pipeline, now defines `other`; the host has not noticed yet, or rejects that.
  case renamed(String, path: String, other: String)
  /// The host has not read all of its files yet, so it is unknown whether one has that name; nil if any pipeline would do. `problem` is what the host
  /// lacks, if known.
  case starting(String?, host: HostRecord, workspace: String, problem: String?)
  /// The maximum number of runs is queued.
  case refused(String, Occasion.Reason, detail: String?)

  package var code: String {
    switch self {
    case .unknown, .unheardOf: "unknown-pipeline"
    case .none, .nothingServed: "no-pipeline"
    case .duplicate: DiagnosticCode.duplicateName.rawValue
    case .renamed: "pipeline-renamed"
    case .starting: "host-starting"
    case .refused(_, let reason, _): reason.rawValue
    }
  }

  package var isRefusal: Bool { if case .starting = self { false } else { true } }

  private static let listed = "`penstock status` lists those that are served"

  /// A host whose file names a workspace serves a different one from the one that commands find by default.
  private static let elsewhere = "to use another workspace, pass --workspace or set PENSTOCK_WORKSPACE"

  /// Returns why there is no pipeline at all, and what to do.
  private static func unserved(by host: HostRecord?) -> String {
    guard let host else {
      return "no host has served this workspace yet; start one with `penstock serve`; \(elsewhere)"
    }
    switch host.state {
    case .stopped, .died:
      return "its last host found no pipeline in its paths; start one with `\(host.command)`; \(elsewhere)"
    case .starting, .ready, .draining:
      return "the host in process \(host.owner.pid) on \(host.host) finds no pipeline in its paths; \(elsewhere)"
    }
  }

  package var description: String {
    switch self {
    case .unknown(let name, let workspace, let near, let others):
      let reason =
        switch others {
        case .some: "\(Self.listed); \(Self.elsewhere)"
        case .none(let host): Self.unserved(by: host)
        }
      let next = near.map { "did you mean '\(TerminalText.visible($0))'?" } ?? reason
      return "no pipeline '\(TerminalText.visible(name))' is served in the workspace '\(workspace)'; \(next)"
    case .unheardOf(let name, let workspace, let near):
      let next =
        near.map { "did you mean '\(TerminalText.visible($0))'?" } ?? "\(Self.listed); \(Self.elsewhere)"
      return "no pipeline '\(TerminalText.visible(name))' is known in the workspace '\(workspace)'; \(next)"
    case .none(let labels, let workspace):
      return "no pipeline that is served in the workspace '\(workspace)' matches \(labels)"
    case .duplicate(let name, let paths): return PublishedPipeline.problem(of: paths, claiming: name)
    case .renamed(let name, let path, let other):
      return
        "'\(TerminalText.visible(name))' is not started: '\(TerminalText.visible(path))' now defines '\(TerminalText.visible(other))'; change its name back, or start '\(TerminalText.visible(other))' once `penstock status` lists it"
    case .nothingServed(let workspace, let host):
      return "no pipeline is served in the workspace '\(workspace)'; \(Self.unserved(by: host))"
    case .starting(let name, let host, let workspace, let problem):
      let what = name.map { "'\(TerminalText.visible($0))'" } ?? "any pipeline"
      let text =
        "cannot tell yet whether \(what) is served in the workspace '\(workspace)': the host in process \(host.owner.pid) on \(host.host) is starting"
      return text + (problem.map { ", and \($0)" } ?? "") + "; `penstock status` says when it is ready"
    case .refused(let name, let reason, let detail):
      let particulars = detail.map { " (\($0))" } ?? ""
      switch reason {
      case .queueFull: return "'\(name)' was not queued: the queue is full\(particulars); see `penstock queue`"
      case .overlap:
        return "'\(name)' was not queued: another run of it is active or queued, and its `overlap` is `skip`"
      default: return "'\(name)' was not queued: \(reason.rawValue)\(particulars)"
      }
    }
  }
}

extension History {
  /// Returns the pipeline of that name that a host serves, or that the last one served.
  ///
  /// - Throws: ``ServedPipelineError/unknown(_:workspace:near:others:)``, or `WorkspaceError`.
  package func servedPipeline(_ name: String) throws -> PublishedPipeline {
    if let pipeline = try publishedPipeline(name) { return pipeline }
    try requireReady(for: name)
    let names = try publishedPipelines().map(\.name)
    throw ServedPipelineError.unknown(
      name, workspace: workspace.directory, near: NearestName.suggestion(for: name, among: names),
      others: names.isEmpty ? .none(try hosts(limit: 1).first) : .some)
  }

  /// Checks that a pipeline is known: a host has served it, it has run, or something could have started it.
  ///
  /// - Throws: ``ServedPipelineError/unheardOf(_:workspace:near:)``, or `WorkspaceError`.
  package func requireKnown(pipeline name: String) throws {
    guard try publishedPipeline(name) == nil else { return }
    let names = try knownPipelineNames()
    guard !names.contains(name) else { return }
    var filter = OccasionFilter()
    (filter.pipeline, filter.limit) = (name, 1)
    guard try occasions(filter).isEmpty else { return }
    try requireReady(for: name)
    throw ServedPipelineError.unheardOf(
      name, workspace: workspace.directory, near: NearestName.suggestion(for: name, among: names))
  }

  /// Checks that no host is still determining which pipelines it serves.
  ///
  /// - Throws: ``ServedPipelineError/starting(_:host:workspace:problem:)``, or `WorkspaceError`.
  package func requireReady(for name: String?) throws {
    guard let host = try currentHost(), host.state == .starting else { return }
    let problem = (try? JSONValue.parse(host.configuration))?["problems"]?.arrayValue?.first?.stringValue
    throw ServedPipelineError.starting(name, host: host, workspace: workspace.directory, problem: problem)
  }

  /// Returns the names of the pipelines that are served, and of those that have run.
  func knownPipelineNames() throws -> [String] {
    Set(try publishedPipelines().map(\.name)).union(try pipelineNames()).sorted()
  }
}
