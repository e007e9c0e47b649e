import Expressions
import Glibc
import Operations
import OrderedCollections
import PipelineLanguage
import PluginHost
import RunHistory
import Values

extension PluginUse: RunnableAction {
  func begin(_ ordinal: Int, in engine: isolated RunEngine) throws -> AttemptBeginning<PluginRun> {
    let run = try engine.startPlugin(ordinal, self)
    guard let outcome = run.outcome else { return .running(run) }
    return .ended(try engine.endPlugin(ordinal, run, outcome))
  }

  func end(of run: PluginRun, _ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    try await engine.waitForPlugin(ordinal, run)
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) throws {
    // Another version of the plugin may do something else.
    inputs.add("plugin", try engine.plugins.plugin(of: offer).plugin.hash)
    for name in engine.state.pipeline.plugins[plugin]?.secrets ?? [] {
      inputs.add("secrets.\(name)", engine.state.given.secrets[name] ?? "")
    }
  }

  var goesOnAcrossHosts: Bool { false }
  var atOnce: OperationNode.AtOnce.Kind? { .plugin(self) }

  /// It measures its time by itself.
  func attemptContext(_ ordinal: Int, _ context: OperationContext, in engine: isolated RunEngine) -> OperationContext {
    var context = context
    context.operationTimeLimitDelayer = PluginTimeLimit(
      engine: engine, ordinal: ordinal, delayer: context.operationTimeLimitDelayer ?? context.operationDelayer)
    return context
  }
}

/// `uses`: one instance of a plugin's operation for one attempt.
extension RunEngine {
  /// Makes an instance of a plugin's operation, and starts it.
  fileprivate func startPlugin(_ ordinal: Int, _ use: PluginUse) throws -> PluginRun {
    let used = try plugins.plugin(of: use.offer)
    let offer = try used.plugin.offer(use.offer, .operation)
    let contexts = contexts(ordinal)
    let settings = try use.settings(for: offer, in: contexts)
    let input = try pluginInput(ordinal, offer, contexts)
    dropReadings(ordinal)
    let log = PluginLog(engine: self, ordinal: ordinal)
    let attempt = PluginAttempt(log: log, loop: services.loop)
    log.attempt = attempt
    let instance = used.plugin.create(offer, settings: settings, access: used.access, events: attempt)
    if !Task.isCancelled { instance.start(input) }
    return PluginRun(attempt: attempt, instance: instance, log: log)
  }

  /// Waits for the end of an instance. Cancelling the task asks it to end, within the operation's grace.
  fileprivate func waitForPlugin(_ ordinal: Int, _ run: PluginRun) async throws -> OperationResult {
    // Many have ended by then.
    if let outcome = run.outcome { return try endPlugin(ordinal, run, outcome) }
    plugins.attempts[ordinal] = (run.attempt, run.instance)
    defer { plugins.attempts[ordinal] = nil }
    let grace = state.instances[ordinal].node.definition.grace
    return try endPlugin(ordinal, run, await run.attempt.wait(for: run.instance, grace: grace))
  }

  /// Lets go of an instance that has ended, and takes its result.
  fileprivate func endPlugin(_ ordinal: Int, _ run: PluginRun, _ outcome: PluginAttempt.Outcome) throws
    -> OperationResult
  {
    run.instance.destroy()
    pluginTold(ordinal, run.log, isLast: true)
    if Task.isCancelled || isForced { throw CancellationError() }
    return try pluginResult(outcome.get(), ordinal)
  }

  private func pluginResult(_ value: JSONValue?, _ ordinal: Int) throws -> OperationResult {
    let type = state.instances[ordinal].node.definition.result
    if type == ValueType.none { return .none }
    guard let value else {
      // Nothing is no JSON; what is declared to be something has to be it.
      if type == nil || type == .json { return .none }
      throw OperationFailure(
        code: "result-mismatch", message: "the result should be \(type?.description ?? "json"), but there is none")
    }
    return .value(try checkedValue(value, ordinal))
  }

  private func pluginInput(_ ordinal: Int, _ offer: PluginOffer, _ contexts: RunContexts) throws -> JSONValue {
    let node = state.instances[ordinal].node
    var requirement: JSONValue?
    switch node.definition.injection {
    case .none: break
    case .automatic(let template): requirement = try template.evaluate(in: contexts)
    case .named(let members):
      var values: OrderedDictionary<String, JSONValue> = [:]
      for member in members { values[member.name] = try member.value.evaluate(in: contexts) }
      requirement = .object(values)
    }
    if let requirement {
      for type in [node.definition.requires, offer.requirement] {
        if let type, let mismatch = type.mismatch(of: requirement) {
          throw OperationFailure(
            code: "requirement-mismatch", message: "the requirement should be \(type.description): \(mismatch)")
        }
      }
    }
    var members = plugins.sharedInput
    members.values[0] = .int(Int64(state.instances[ordinal].attempts))
    members.values[1] = .string(state.instances[ordinal].name)
    if let requirement { members.updateValue(requirement, forKey: "requirement", insertingAt: 0) }
    return .object(members)
  }

  // MARK: What it tells meanwhile

  /// Takes what the instance has logged, and how far it is.
  func pluginTold(_ ordinal: Int, _ log: PluginLog, isLast: Bool = false) {
    guard !log.isClosed, let attempt = log.attempt else { return }
    let (lines, progress) = attempt.take()
    if !lines.isEmpty { log.write(lines.map { state.given.masker.mask($0) }) }
    if let progress, !isLast { told(progress, ordinal, log) }
    if isLast { log.close() }
  }

  private func told(_ progress: PluginProgress, _ ordinal: Int, _ log: PluginLog) {
    var progress = progress
    progress.message = progress.message.map { state.given.masker.mask($0) }
    log.progress = progress
    guard log.timer == nil else { return }
    emitProgress(ordinal, log)
  }

  /// Tells of the latest progress, and of the next one no sooner than a tenth of a second later.
  private func emitProgress(_ ordinal: Int, _ log: PluginLog) {
    guard let progress = log.progress, !log.isClosed else {
      log.timer = nil
      return
    }
    log.progress = nil
    observer.emit(.progress(state.id, ordinal: ordinal, progress))
    log.timer = services.loop.schedule(after: .milliseconds(100)) { [weak self] in
      self?.assumeIsolated { $0.emitProgress(ordinal, log) }
    }
  }
}

/// An instance of a plugin's operation that was started, with whom it tells.
struct PluginRun: Sendable {
  let attempt: PluginAttempt
  let instance: any PluginInstance
  let log: PluginLog

  /// How it has ended, where it has.
  var outcome: PluginAttempt.Outcome? { attempt.outcome }
}
