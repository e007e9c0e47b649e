import Expressions
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values

extension NestedPipelineAction: RunnableAction {
  nonisolated(nonsending) func end(of handle: Void, _ ordinal: Int, of run: Run) async throws -> OperationResult {
    try await NestedRunAttempt(run: run, ordinal: ordinal).perform(path, parameters)
  }

  func addInputs(
    _ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues
  ) {
    guard let nested = run.state.pipeline.nested[path] else { return }
    for hash in nested.sourceHashes { inputs.add("pipeline", hash) }
    for hash in nested.pluginHashes(of: run) { inputs.add("plugin", hash) }
  }

  var goesOnAcrossHosts: Bool { false }
}

/// One attempt of `pipeline`: a nested run, which a former host may have begun.
private struct NestedRunAttempt {
  let run: Run
  let ordinal: Int

  nonisolated(nonsending) func perform(
    _ path: String, _ parameters: [(name: String, value: DataTemplate)]
  ) async throws -> OperationResult {
    guard let nested = run.state.pipeline.nested[path] else {
      throw OperationFailure(code: "nested-missing", message: "the pipeline '\(path)' is not part of this definition")
    }
    var given: [(String, JSONValue)] = []
    for parameter in parameters {
      given.append((parameter.name, try parameter.value.evaluate(in: run.contexts(ordinal))))
    }
    run.dropReadings(ordinal)
    let former = try await NestedRuns(run: run).former(of: ordinal)
    let definition = try await definition(of: former, current: nested)
    if let former, former.run.state != .interrupted {
      run.state.instances[ordinal].explain(.nestedRun(former.run.id))
      return try takeOver(former, of: definition)
    }
    let retried = former == nil ? try await NestedRuns(run: run).toRetry(ordinal, definition: definition) : nil
    var options = RunOptions()
    options.trigger = .nested
    options.instant = run.state.instant
    options.version = run.options.version
    options.isForced = run.options.isForced
    do throws(ParameterMismatch) {
      options.parameters = try ParameterResolver.resolve(definition, values: given)
    } catch {
      throw OperationFailure(code: "invalid-param", message: error.message)
    }
    options.source = retried?.run.id ?? former?.run.origin.source
    let source = if let former { try await run.recordedSource(of: former.run) } else { retried }
    guard let makeChild = run.calls.makeChild else { throw CancellationError() }
    let child = makeChild(
      definition,
      RunBrief(
        id: former?.run.id ?? .generate(at: run.services.now()), options: options,
        parent: RunRecord.Parent(
          run: run.state.id, operation: run.state.instances[ordinal].name,
          attempt: run.state.instances[ordinal].attempts),
        heldNames: try run.namesHeld(by: ordinal),
        isWithinHolder: run.brief.isWithinHolder || !run.demand(ordinal).resources.isEmpty, observer: run.observer,
        place: run.brief.place))
    run.children[ordinal] = child
    defer { run.children[ordinal] = nil }
    run.state.instances[ordinal].explain(.nestedRun(child.id))
    let masker = run.state.given.masker
    let plan = RetryPlan(of: definition, options: options, from: source) { masker.mask($0) }
    let others = await BlockingWork.run(if: former != nil || source != nil) {
      FormerRuns(resumed: former, source: source, plan: plan)
    }
    let task = Task(executorPreference: run.services.loop) { try await child.run(after: others) }
    let loop = run.services.loop
    // The nested run ends by itself when it is cancelled, because its handlers still run.
    let outcome = try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      loop.execute { child.end(because: .cancelled(.requested)) }
    }
    switch outcome.run.state {
    case .succeeded:
      var members: OrderedDictionary<String, JSONValue> = [:]
      for operation in definition.operations { members[operation.name] = outcome.results[operation.name] }
      return .value(.object(members))
    case .cancelled where Task.isCancelled:
      throw CancellationError()
    default:
      throw Self.nestedFailure(outcome.run, because: await child.firstFailure())
    }
  }

  /// Returns the definition with which a nested run continues: its own, if the file has changed since it began.
  private nonisolated(nonsending) func definition(of former: RecordedRun?, current: PipelineDefinition) async throws
    -> PipelineDefinition
  {
    guard let former, former.run.definitionHash != current.source.hash else { return current }
    let plugins = run.services.plugins.source
    let loaded = await BlockingWork.run {
      PipelineLoader.load(
        text: former.definition, path: former.run.path ?? current.source.path, nested: former.nestedDefinitions,
        plugins: plugins, host: .unchecked)
    }
    guard let pipeline = loaded.pipeline else {
      throw OperationFailure(
        code: "nested-invalid",
        message:
          "the definition of run \(former.run.id.text) can no longer be loaded: \(loaded.diagnostics.first?.message ?? "")"
      )
    }
    return pipeline
  }

  /// Returns the result of a nested run that had ended before its host could record the end of the operation.
  private func takeOver(_ former: RecordedRun, of nested: PipelineDefinition) throws -> OperationResult {
    guard former.run.state == .succeeded else {
      let failed = former.operations.first { $0.state == .failed && $0.parent == nil }
      throw Self.nestedFailure(
        former.run, because: failed.map { "'\($0.name)' \($0.error?.message ?? "failed")" } ?? former.run.reason)
    }
    var members: OrderedDictionary<String, JSONValue> = [:]
    let types = Dictionary(nested.operations.map { ($0.name, $0.result) }) { first, _ in first }
    for operation in former.operations {
      guard operation.parent == nil, let type = types[operation.name] else { continue }
      if case .value(let value) = run.result(operation.result, type: type) { members[operation.name] = value }
    }
    return .value(.object(members))
  }

  private static func nestedFailure(_ run: RunRecord, because reason: String?) -> OperationFailure {
    // A run that was cancelled may have no reason besides that.
    let why = reason == run.state.rawValue ? nil : reason
    let ended = run.state == .cancelled ? "was \(run.canceller?.words ?? "cancelled")" : run.state.rawValue
    return OperationFailure(
      code: "nested-\(run.state.rawValue)",
      message: "run \(run.id.text) of '\(run.pipeline)' \(ended)\(why.map { ": \($0)" } ?? "")")
  }
}

extension PipelineDefinition {
  /// The hashes of the definition, of what it includes and of everything that it runs, in a fixed order.
  fileprivate var sourceHashes: [String] {
    [source.hash]
      + (included.sorted { $0.key < $1.key } + settingTexts.sorted { $0.key < $1.key }).map { ContentHash.of($0.value) }
      + nested.sorted { $0.key < $1.key }.flatMap { $0.value.sourceHashes }
  }

  /// Returns the hashes of the plugins used by the operations of a pipeline and those that it runs, in the order of the file. An unavailable plugin
  /// fails where it is used.
  fileprivate func pluginHashes(of run: Run) -> [String] {
    var hashes: [String] = []
    for operation in operations + handlers.map(\.operation) {
      guard let plugin = operation.action.kind.usedPlugin else { continue }
      hashes.append((try? run.services.plugins.plugin(plugin, in: self))?.hash ?? "missing")
    }
    return hashes + nested.sorted { $0.key < $1.key }.flatMap { $0.value.pluginHashes(of: run) }
  }
}
