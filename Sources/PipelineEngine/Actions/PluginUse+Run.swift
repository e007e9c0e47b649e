import Expressions
import Operations
import OrderedCollections
import PipelineLanguage
import PluginHost
import RunHistory
import Values

extension PluginUse: RunnableAction {
  var goesOnAcrossHosts: Bool { false }
  var pace: ActionPace { .mayEndAtOnce }

  func begin(_ ordinal: Int, of run: Run) throws -> AttemptBeginning<StartedPlugin> {
    let instance = PluginInstanceRun(run: run, ordinal: ordinal)
    let started = try instance.start(self)
    guard let outcome = started.outcome, !instance.isLarge(outcome) else { return .running(started) }
    return .ended(try instance.end(started, outcome))
  }

  nonisolated(nonsending) func end(
    of started: StartedPlugin, _ ordinal: Int, of run: Run
  ) async throws -> OperationResult {
    try await PluginInstanceRun(run: run, ordinal: ordinal).wait(for: started)
  }

  func addInputs(
    _ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues
  ) throws {
    // Another version of the plugin may behave differently.
    inputs.add("plugin", try run.plugins.plugin(of: offer).plugin.hash)
    for name in run.state.pipeline.plugins[plugin]?.secrets ?? [] {
      inputs.add("secrets.\(name)", run.state.given.secrets[name] ?? "")
    }
  }

  func attemptContext(_ context: OperationContext, _ ordinal: Int, of run: Run) -> OperationContext {
    var context = context
    context.operationTimeLimitDelayer = PluginTimeLimit(
      plugins: LoopBound(run.plugins), loop: run.services.loop, ordinal: ordinal,
      delayer: context.operationTimeLimitDelayer ?? context.operationDelayer)
    return context
  }
}

/// The instance of a plugin's operation for one attempt of `uses`.
private struct PluginInstanceRun {
  let run: Run
  let ordinal: Int

  /// Creates the instance and starts it.
  func start(_ use: PluginUse) throws -> StartedPlugin {
    let used = try run.plugins.plugin(of: use.offer)
    let offer = try used.plugin.offer(use.offer, .operation)
    let contexts = run.contexts(ordinal)
    let settings = try use.settings(for: offer, in: contexts)
    let input = try input(offer, contexts)
    run.dropReadings(ordinal)
    let log = PluginLog(run: run, ordinal: ordinal)
    let attempt = PluginAttempt(log: log, loop: run.services.loop)
    log.attempt = attempt
    let instance = used.plugin.create(offer, settings: settings, access: used.access, events: attempt)
    if !Task.isCancelled { instance.start(input) }
    return StartedPlugin(attempt: attempt, instance: instance, log: log)
  }

  /// Waits for its end. Cancelling the task requests it to end within the operation's grace period.
  nonisolated(nonsending) func wait(for started: StartedPlugin) async throws -> OperationResult {
    // Many have ended by then.
    if let outcome = started.outcome { return try await finish(started, outcome) }
    run.plugins.attempts[ordinal] = (started.attempt, started.instance)
    defer { run.plugins.attempts[ordinal] = nil }
    let grace = run.state.instances[ordinal].node.definition.grace
    return try await finish(started, await started.attempt.wait(for: started.instance, grace: grace))
  }

  /// Whether checking its result takes longer than the event loop may be blocked.
  func isLarge(_ outcome: PluginAttempt.Outcome) -> Bool { (try? outcome.get())?.isLarge == true }

  /// Releases the instance, which has ended, and takes its result, which is not large.
  func end(_ started: StartedPlugin, _ outcome: PluginAttempt.Outcome) throws -> OperationResult {
    try result(letGo(of: started, outcome))
  }

  private nonisolated(nonsending) func finish(
    _ started: StartedPlugin, _ outcome: PluginAttempt.Outcome
  ) async throws -> OperationResult {
    let value = try letGo(of: started, outcome)
    guard let value, value.isLarge, run.state.instances[ordinal].node.definition.result != ValueType.none else {
      return try result(value)
    }
    return .value(try await run.checkedLargeValue(value, ordinal))
  }

  private func letGo(of started: StartedPlugin, _ outcome: PluginAttempt.Outcome) throws -> JSONValue? {
    started.instance.destroy()
    started.log.takeNews(isLast: true)
    if Task.isCancelled || run.isForced { throw CancellationError() }
    return try outcome.get()
  }

  private func result(_ value: JSONValue?) throws -> OperationResult {
    let type = run.state.instances[ordinal].node.definition.result
    if type == ValueType.none { return .none }
    guard let value else {
      // No result is not JSON; a declared result must be present.
      if type == nil || type == .json { return .none }
      throw OperationFailure(
        code: "result-mismatch", message: "the result should be \(type?.description ?? "json"), but there is none")
    }
    return .value(try run.checkedValue(value, ordinal))
  }

  private func input(_ offer: PluginOffer, _ contexts: RunContexts) throws -> JSONValue {
    let node = run.state.instances[ordinal].node
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
    var members = run.plugins.sharedInput
    members.values[0] = .int(Int64(run.state.instances[ordinal].attempts))
    members.values[1] = .string(run.state.instances[ordinal].name)
    if let requirement { members.updateValue(requirement, forKey: "requirement", insertingAt: 0) }
    return .object(members)
  }
}

/// A started instance of a plugin's operation, with its attempt and its log.
struct StartedPlugin: Sendable {
  let attempt: PluginAttempt
  let instance: any PluginInstance
  let log: PluginLog

  /// Its outcome, if it has ended.
  var outcome: PluginAttempt.Outcome? { attempt.outcome }
}
