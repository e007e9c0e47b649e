import PipelineLanguage
import RunHistory
import Values

/// Reading secrets before the run begins.
extension RunEngine {
  /// Reads the secrets of the pipeline, and builds what masks them. A secret's command may wait for somebody, and large secrets take a while: `cancel` ends both.
  func prepareSecrets() async throws {
    state.given.masker = secrets.inherited.masker
    guard !state.pipeline.secrets.isEmpty else { return }
    let (declared, former) = (state.pipeline.secrets, secrets.former[id])
    guard former != nil || cancellation == nil else { throw CancellationError() }
    let inherited = secrets.inherited.values
    var reader = services.secretReader(in: state.pipeline.source.directory, known: inherited)
    reader.onProcess = { [weak self] pid, isRunning in
      self?.assumeIsolated { $0.jobs.noteSecretProcess(pid, isRunning: isRunning) }
    }
    reader.recordPlace = { [weak self] in
      try self?.assumeIsolated { try $0.services.local.run($0.id).records.take(in: try $0.logs.runDirectory()) }
    }
    let task = Task(executorPreference: services.loop) { [reader] in
      let own = if let former { former } else { try await reader.read(declared) }
      return try await KnownSecrets(own: own, inherited: inherited)
    }
    try await secrets.take(from: task)
  }

  /// Tells of secrets that nested pipelines would miss. It is no failure yet: their operations may have conditions, and the time until then may be
  /// used.
  func tellOfMissingSecrets() {
    var names: [String: [String]] = [:]
    var paths: [String] = []
    for instance in state.instances where instance.parent == nil && !instance.state.isFinal {
      guard let path = instance.node.action.nestedPath else { continue }
      if names[path] == nil { paths.append(path) }
      names[path, default: []].append("'\(instance.node.definition.name)'")
    }
    for path in paths {
      guard let nested = state.pipeline.nested[path], let names = names[path] else { continue }
      let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
      for secret in SecretPreview.missingAnywhere(in: nested, environment: services.inherited) {
        let reason = "the secret '\(secret.name)' of '\(path)' cannot be read: \(secret.reason)"
        observer.emit(.notice(state.id, "\(shown) would fail: \(reason)"))
      }
    }
  }
}
