import OperatingSystem
import Values

extension HostDefinition {
  /// Reports the paths under `pipelines` that do not exist. A host also serves files created later, so only a check uses this.
  package func missingPaths() -> [Diagnostic] {
    guard let path else { return [] }
    return zip(pipelines, keys.pipelines).filter { InputFile.kind(of: $0.0) == nil }.map { missing, range in
      let place = missing.hasSuffix("/") ? String(missing.dropLast()) : missing
      let name = place.split(separator: "/").last.map(String.init) ?? place
      let names = DirectoryNames.of(PathText.directory(of: place)).filter { !$0.hasPrefix(".") }
      return Diagnostic(
        code: .fileNotFound, "there is neither a file nor a folder '\(missing)'", file: path, range: range,
        fix: suggestion(for: name, among: names))
    }
  }

  /// Reports what a pipeline and its nested pipelines require and this host lacks: an undeclared queue, a resource that neither the pipeline nor
  /// the host declares, more of a resource than its capacity, and a terminal (`foreground`).
  ///
  /// Each finding is an error at its place in the pipeline's file and, if applicable, has a note for the place in the host's file. A pipeline loaded
  /// with ``HostSource/host(_:)`` has no findings for that host, but may have been loaded with an earlier one.
  public func findings(in pipeline: PipelineDefinition) -> [Diagnostic] {
    var found: [Diagnostic] = []
    var seen: Set<String> = []
    var waiting = [pipeline]
    while let next = waiting.popLast() {
      guard seen.insert(next.source.absolutePath).inserted else { continue }
      found += ownFindings(in: next, runsItself: next.source.absolutePath == pipeline.source.absolutePath)
      waiting += next.nested.sorted { $0.key > $1.key }.map(\.value)
    }
    return found
  }

  /// Returns the findings in the file of one pipeline, whose queue only counts if the pipeline itself is run.
  func ownFindings(in pipeline: PipelineDefinition, runsItself: Bool) -> [Diagnostic] {
    var found: [Diagnostic] = []
    if runsItself, let name = pipeline.scheduling.queue, let place = pipeline.hostUse.queue, queue(name) == nil {
      let names = queues.map(\.name)
      found.append(
        finding(
          .unknownQueue, "the host has no queue '\(name)'", at: place,
          fix: suggestion(for: name, among: names) ?? "declare it there: 'queues: { \(name): { runs: 1 } }'",
          note: "\(names.count == 1 ? "the only queue is" : "the queues are") \(names.joined(separator: ", "))",
          keys.queues))
    }
    found += pipeline.hostUse.terminals.map {
      Diagnostic(
        code: .misplacedSpecification, "'foreground' asks for a terminal, and a host has none", file: $0.file,
        range: $0.range, fix: "remove it; to wait for a person, use an operation with 'approve'")
    }
    return found + pipeline.hostUse.demands.compactMap(finding)
  }

  private func finding(of demand: HostUse.Demand) -> Diagnostic? {
    let name = demand.resource
    guard let resource = resource(name) else {
      guard !demand.isDeclared else { return nil }
      let names = resources.map(\.name)
      return finding(
        .unknownResource, "neither the pipeline nor the host declares a resource '\(name)'", at: demand.name,
        fix: suggestion(for: name, among: names)
          ?? "declare it in the pipeline for each run, or in the host's file for all: 'resources: {\(name): \(demand.amount)}'",
        note: names.isEmpty ? "the host has no resources" : "the host has \(names.joined(separator: ", "))",
        keys.resources)
    }
    let note = "the host has \(resource.capacity) of '\(name)'"
    if demand.amount > resource.capacity {
      return finding(
        .outOfRange,
        "\(demand.taker) needs \(demand.amount) of '\(name)', but the host has only \(resource.capacity)",
        at: demand.number, fix: "lower it, or raise '\(name)' in the host's file", note: note, resource.range)
    }
    guard HostUse.sum(demand.amount, demand.inner) > resource.capacity else { return nil }
    return finding(
      .outOfRange,
      "\(demand.taker) holds \(demand.amount) of '\(name)' while the pipeline that it runs needs \(demand.inner), but the host has only \(resource.capacity)",
      at: demand.number, fix: "leave it to the operations of that pipeline", note: note, resource.range)
  }

  private func finding(
    _ code: DiagnosticCode, _ message: String, at place: HostUse.Place, fix: String? = nil, note: String,
    _ range: SourceRange?
  ) -> Diagnostic {
    Diagnostic(
      code: code, message, file: place.file, range: place.range, fix: fix,
      note: path.map { Diagnostic.Note(message: note, file: $0, range: range ?? .beginning) })
  }

  private func suggestion(for name: String, among names: [String]) -> String? {
    NearestName.suggestion(for: name, among: names).map { "did you mean '\($0)'?" }
  }
}
