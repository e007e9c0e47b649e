import Expressions
import OperatingSystem
import Operations
import PipelineLanguage
import RunHistory
import Values

/// One attempt of `run` or `command`: one job.
struct ProcessAttempt {
  let run: Run
  let ordinal: Int

  /// Runs the job of an operation to its end and takes its result.
  nonisolated(nonsending) func perform() async throws -> OperationResult {
    let job =
      try run.jobs.prepared.removeValue(forKey: ordinal) ?? makeJob(attempt: run.state.instances[ordinal].attempts)
    run.dropReadings(ordinal)
    if Task.isCancelled {
      run.executor(ordinal).discard(job)
      throw CancellationError()
    }
    let end = try await JobRunner(run: run, ordinal: ordinal).perform(job)
    let sizes = end.files?.sizes() ?? (output: 0, error: 0)
    run.state.instances[ordinal].attempt?.standardOutput = sizes.output > 0 ? end.files?.relativeOutput : nil
    run.state.instances[ordinal].attempt?.standardError = sizes.error > 0 ? end.files?.relativeError : nil
    run.state.instances[ordinal].attempt?.userTime = end.used?.user
    run.state.instances[ordinal].attempt?.systemTime = end.used?.system
    let areNamed = takeNamed()
    defer {
      if let files = end.files, !end.leftProcesses { run.logs.giveBack(files, areNamed: areNamed) }
      if !run.services.shortages.isEmpty {
        run.services.loop.execute { [shortages = run.services.shortages] in shortages.noticeGivenBack() }
      }
    }
    // The process that was recorded as running never existed.
    if case .refused = end.cause { run.state.instances[ordinal].attempt?.pid = nil }
    if Task.isCancelled || run.isForced {
      end.files?.discardResult()
      throw CancellationError()
    }
    if end.cause == .timedOut, let timeout = run.state.instances[ordinal].node.definition.timeout {
      end.files?.discardResult()
      throw OperationTimeoutError(timeout)
    }
    if let failure = OperationFailure(end.cause) {
      end.files?.discardResult()
      tell(of: end.cut)
      throw failure
    }
    run.state.instances[ordinal].attempt?.exitCode = 0
    if let cut = end.cut {
      end.files?.discardResult()
      throw cut
    }
    guard let files = end.files else { return .none }
    let result = try await ProcessResult(run: run, ordinal: ordinal, directory: job.directory)
      .take(from: files, outputSize: sizes.output)
    if !job.artifacts.isEmpty { try await ProcessArtifacts(run: run, ordinal: ordinal).keep(job) }
    return result
  }

  /// Returns whether the history may refer to the log files of the attempt, whose process has ended.
  private func takeNamed() -> Bool {
    defer { run.state.instances[ordinal].areLogsNamed = false }
    return run.state.instances[ordinal].areLogsNamed
  }

  // MARK: Inputs of the process

  /// Prepares the job of an attempt before it has a slot. If that fails, it is retried, and the failure reported, when the slot is free; a large
  /// input is not prepared, because it would wait in memory.
  func prepare() {
    guard !run.willReadFiles(ordinal), run.services.shortages.isEmpty,
      let job = try? makeJob(attempt: run.state.instances[ordinal].attempts + 1),
      !job.input.isLarge,
      (try? run.executor(ordinal).makeReady(job)) != nil
    else { return }
    run.jobs.prepared[ordinal] = job
  }

  /// Creates the job of an attempt for its executor.
  private func makeJob(attempt number: Int) throws -> Job {
    let node = run.state.instances[ordinal].node
    if let name = run.services.executors.missing(for: node.definition) {
      throw OperationFailure.submitRefused("this host has no executor '\(name)'")
    }
    let environment = try processEnvironment()
    let contexts = run.contexts(ordinal, environment: environment.own)
    let arguments = try node.action.arguments(shell: node.definition.shell, in: contexts) ?? []
    let directory = try workingDirectory(node, contexts)
    guard let program = arguments.first, !program.isEmpty else {
      throw OperationFailure(
        code: "command-not-found", message: "the first argument, the name of the program, is empty",
        exitCode: 127)
    }
    return Job(
      id: JobID(run: run.state.id, ordinal: ordinal, attempt: number), operation: run.state.instances[ordinal].name,
      arguments: arguments, environment: environment, directory: directory,
      input: try standardInput(node, contexts),
      masker: node.definition.receivesSecret && !run.state.given.masker.isEmpty ? run.state.given.masker : nil,
      grace: node.definition.grace, files: run.logs,
      artifacts: try ProcessArtifacts(run: run, ordinal: ordinal).wanted(contexts),
      use: try executorUse(node, contexts), timeout: node.definition.timeout)
  }

  /// Returns what the operation asks of its executor, with the values of expressions.
  private func executorUse(_ node: OperationNode, _ contexts: RunContexts) throws -> ExecutorUse? {
    try node.definition.executor?.evaluated { setting, template in
      let text = try template.evaluate(in: contexts).injectedText
      guard let value = ExecutorUse.value(text, of: setting) else {
        throw OperationFailure.submitRefused("'\(text.escapedForMessage)' is not a value of '\(setting.rawValue)'")
      }
      return value
    }
  }

  private func workingDirectory(_ node: OperationNode, _ contexts: RunContexts) throws -> String? {
    let base = run.state.pipeline.source.directory
    guard let template = node.definition.directory else { return base == run.services.directory ? nil : base }
    let path = try template.evaluate(in: contexts).injectedText
    return path.hasPrefix("/") ? path : "\(base)/\(path)"
  }

  private func processEnvironment() throws -> AttemptEnvironment {
    let node = run.state.instances[ordinal].node
    var environment = AttemptEnvironment(run.jobs.environment(at: run.executor(ordinal)))
    for (name, template) in node.definition.environment {
      try environment.set(
        name, to: template.evaluate(in: run.contexts(ordinal, environment: environment.own)).injectedText)
    }
    if case .named(let members) = node.definition.injection {
      var values: [(String, JSONValue)] = []
      for member in members {
        values.append((member.name, try member.value.evaluate(in: run.contexts(ordinal, environment: environment.own))))
      }
      if let type = node.definition.requires {
        try checkRequirement(.object(.init(uniqueKeysWithValues: values)), type)
      }
      for (name, value) in values { try environment.set(name, to: value.injectedText) }
    }
    return environment
  }

  private func standardInput(_ node: OperationNode, _ contexts: RunContexts) throws -> Job.Input {
    let template: Template
    if case .automatic(let requirement) = node.definition.injection {
      template = requirement
      if let file = wholeFile(of: requirement) { return .file(file) }
    } else if let stdin = node.definition.stdin {
      template = stdin
    } else {
      return .none
    }
    let value = try template.evaluate(in: contexts)
    if case .automatic = node.definition.injection, let type = node.definition.requires {
      try checkRequirement(value, type)
    }
    return .value(value)
  }

  /// Returns the file of a result if the template is only `results.<name>` of an operation whose result is kept in a file.
  private func wholeFile(of template: Template) -> ResultFile? {
    guard let expression = template.wholeExpression, expression.isWholeReference,
      let reference = expression.references.first,
      reference.context.lowercased() == "results", reference.path.count == 1,
      let position = run.state.position(of: reference.path[0]),
      case .file(let file) = run.state.instances[position].result
    else { return nil }
    return file
  }

  private func checkRequirement(_ value: JSONValue, _ type: ValueType) throws(OperationFailure) {
    if let mismatch = type.mismatch(of: value) {
      throw OperationFailure(
        code: "requirement-mismatch", message: "the requirement should be \(type.description): \(mismatch)")
    }
  }

  /// Reports that the logs of an operation that failed by itself are incomplete.
  private func tell(of cut: EngineError?) {
    guard let cut else { return }
    run.observer.emit(.notice(run.state.id, "the log of '\(run.state.instances[ordinal].name)' is incomplete: \(cut)"))
  }
}

extension FingerprintValues {
  /// Marks an undeclared result as read by the current rule: previously, `1.10` was the number 1.1.
  mutating func addReading(of node: OperationNode) {
    if node.definition.result == nil { add("result", "text") }
  }
}
