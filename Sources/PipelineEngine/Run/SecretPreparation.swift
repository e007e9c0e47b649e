import PipelineLanguage
import RunHistory
import Values

/// Reads the secrets of a run before it begins.
struct SecretPreparation {
  let run: Run

  /// Reads the secrets of the pipeline and builds the masker for them. A secret's command may wait for a person, and large secrets take a while;
  /// `cancel` interrupts both.
  nonisolated(nonsending) func prepare() async throws {
    run.state.given.masker = run.secrets.inherited.masker
    guard !run.state.pipeline.secrets.isEmpty else { return }
    let (declared, former) = (run.state.pipeline.secrets, run.secrets.former[run.id])
    guard former != nil || run.cancellation == nil else { throw CancellationError() }
    let inherited = run.secrets.inherited.values
    var reader = run.services.secretReader(in: run.state.pipeline.source.directory, known: inherited)
    let (jobs, local, id) = (LoopBound(run.jobs), run.services.executors.local, run.id)
    reader.onProcess = { pid, isRunning in jobs.value.noteSecretProcess(pid, isRunning: isRunning) }
    reader.recordPlace = { try local.run(id).records.take(in: try jobs.value.logs.runDirectory()) }
    reader.giveBackPlace = { local.run(id).records.giveBack($0, isKept: $1) }
    let recorder = run.services.recorder
    let progress = LoopBound(
      SecretProgress(of: id, run.state.pipeline.name, by: run.services) {
        recorder.record(.runPrepares(id, reason: $0.text))
      })
    reader.onSecret = { progress.value.reads($0) }
    reader.onShortage = { progress.value.lacks($0) }
    let (bound, writing) = (LoopBound(run), run.services.writing)
    reader.waitForFiles = { error in
      guard bound.value.isWaitedOut(error) else { throw error }
      writing.lackRoom(error)
      defer { writing.foundRoom() }
      try await writing.pause()
    }
    defer { progress.value.end() }
    let task = Task(executorPreference: run.services.loop) { [reader] in
      let own = if let former { former } else { try await reader.read(declared) }
      return try await KnownSecrets(own: own, inherited: inherited)
    }
    try await run.secrets.take(from: task)
  }

  /// Reports secrets that nested pipelines would lack. This is not a failure yet: their operations may have conditions, and there is still time to
  /// provide the secrets.
  func tellOfMissingSecrets() {
    var names: [String: [String]] = [:]
    var paths: [String] = []
    for instance in run.state.instances where instance.parent == nil && !instance.state.isFinal {
      guard let path = instance.node.action.nestedPath else { continue }
      if names[path] == nil { paths.append(path) }
      names[path, default: []].append("'\(instance.node.definition.name)'")
    }
    for path in paths {
      guard let nested = run.state.pipeline.nested[path], let names = names[path] else { continue }
      let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
      for secret in SecretPreview.missingAnywhere(in: nested, variables: run.services.environment.secrets) {
        let reason = "the secret '\(secret.name)' of '\(path)' cannot be read: \(secret.reason)"
        run.observer.emit(.notice(run.state.id, "\(shown) will fail: \(reason)"))
      }
    }
  }
}
