import PipelineLanguage
import RunHistory
import Values

/// What is done with the results of operations that can receive a secret.
extension RunEngine {
  /// What a nested run has to know of the secrets here.
  var knownSecrets: KnownSecrets {
    KnownSecrets(values: Array(state.secrets.values) + inheritedSecrets.values, masker: state.masker)
  }

  /// Reads the secrets of the pipeline, and builds what masks them. A secret's command may wait for somebody, and large secrets take a while: `cancel` ends both.
  func prepareSecrets() async throws {
    state.masker = inheritedSecrets.masker
    guard !state.pipeline.secrets.isEmpty else { return }
    let (secrets, former) = (state.pipeline.secrets, formerSecrets[id])
    guard former != nil || cancellation == nil else { throw CancellationError() }
    let inherited = inheritedSecrets.values
    var reader = SecretReader(services: services, directory: state.pipeline.source.directory, inherited: inherited)
    reader.onProcess = { [weak self] pid, isRunning in
      self?.assumeIsolated { $0.processes.note(pid, isRunning: isRunning) }
    }
    reader.recordPlace = { [weak self] in
      try self?.assumeIsolated { try $0.processes.records.take(in: try $0.logs.runDirectory()) }
    }
    let task = Task(executorPreference: services.loop) { [reader] in
      let own = if let former { former } else { try await reader.read(secrets) }
      return try await KnownSecrets(own: own, inherited: inherited)
    }
    secretReading = task
    defer { secretReading = nil }
    let known = try await task.value
    state.secrets = known.own
    state.masker = known.masker
  }

  /// Tells of secrets that nested pipelines would miss. It is no failure yet: their operations may have conditions, and the time until then may be
  /// used.
  func tellOfMissingSecrets() {
    var names: [String: [String]] = [:]
    var paths: [String] = []
    for instance in state.instances where instance.parent == nil && !instance.state.isFinal {
      guard case .pipeline(let path, _) = instance.node.definition.action else { continue }
      if names[path] == nil { paths.append(path) }
      names[path, default: []].append("'\(instance.node.definition.name)'")
    }
    for path in paths {
      guard let nested = state.pipeline.nested[path], let names = names[path] else { continue }
      let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
      for secret in SecretPreview.missingAnywhere(in: nested, environment: services.inherited) {
        let reason = "the secret '\(secret.name)' of '\(path)' cannot be read: \(secret.reason)"
        emit(.notice(state.id, "\(shown) would fail: \(reason)"))
      }
    }
  }

  /// The result of an operation as it is handed on and kept, which is the same: without secrets where the operation can receive one, and as it is
  /// where it cannot.
  ///
  /// - Throws: ``OperationFailure`` with code `result-secret` when nothing of the declared type is left without the secret.
  func withoutSecrets(
    _ value: JSONValue, of node: OperationNode
  ) throws(OperationFailure) -> JSONValue {
    guard node.definition.receivesSecret, !state.masker.isEmpty else { return value }
    var masked = state.masker.mask(value)
    // A secret that is JSON itself is in none of the strings.
    let text = masked.text
    let maskedText = state.masker.mask(text)
    if maskedText != text { masked = .string(maskedText) }
    guard masked != value, let type = node.definition.result else { return masked }
    guard type != .file, type.mismatch(of: masked) == nil else { throw Self.secretInResult(of: type) }
    return masked
  }

  /// Why a result that had to be masked is none any more.
  static func secretInResult(of type: ValueType) -> OperationFailure {
    OperationFailure(
      code: "result-secret",
      ownWords:
        "the result contains a secret and cannot be kept as \(type.description); leave the secret out, or declare `result: none`"
    )
  }
}
