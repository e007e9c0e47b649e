import Expressions
import OperatingSystem
import PipelineLanguage
import RunHistory
import Values

/// `run` and `command`: one job for one attempt.
extension RunEngine {
  /// Runs the job of an operation to its end and takes its result.
  func performProcess(_ ordinal: Int) async throws -> OperationResult {
    let job =
      try jobs.prepared.removeValue(forKey: ordinal) ?? makeJob(ordinal, attempt: state.instances[ordinal].attempts)
    dropReadings(ordinal)
    if Task.isCancelled {
      services.executor.discard(job)
      throw CancellationError()
    }
    let end = try await run(job, ordinal)
    let sizes = end.files?.sizes() ?? (output: 0, error: 0)
    state.instances[ordinal].attempt?.standardOutput = sizes.output > 0 ? end.files?.relativeOutput : nil
    state.instances[ordinal].attempt?.standardError = sizes.error > 0 ? end.files?.relativeError : nil
    let areNamed = takeNamed(ordinal)
    defer { if let files = end.files, !end.leftProcesses { logs.giveBack(files, areNamed: areNamed) } }
    // There has never been the process that was recorded as going on.
    if case .refused = end.cause { state.instances[ordinal].attempt?.pid = nil }
    if Task.isCancelled || isForced {
      end.files?.discardResult()
      throw CancellationError()
    }
    if let failure = OperationFailure(end.cause) {
      end.files?.discardResult()
      tell(of: end.cut, ordinal)
      throw failure
    }
    state.instances[ordinal].attempt?.exitCode = 0
    if let cut = end.cut {
      end.files?.discardResult()
      throw cut
    }
    guard let files = end.files else { return .none }
    return try await takeResult(
      state.instances[ordinal].node, files: files, outputSize: sizes.output, directory: job.directory)
  }

  /// Whether the history may name the log files of the attempt, whose process has ended.
  func takeNamed(_ ordinal: Int) -> Bool {
    defer { state.instances[ordinal].areLogsNamed = false }
    return state.instances[ordinal].areLogsNamed
  }

  // MARK: What the process gets

  /// Makes the job of an attempt ready ahead of its slot. What cannot be made ready now is tried again, and explained, when its turn comes.
  func prepareJob(_ ordinal: Int) {
    guard let job = try? makeJob(ordinal, attempt: state.instances[ordinal].attempts + 1),
      (try? services.executor.makeReady(job)) != nil
    else { return }
    jobs.prepared[ordinal] = job
  }

  /// What an attempt is to its executor.
  private func makeJob(_ ordinal: Int, attempt number: Int) throws -> Job {
    let node = state.instances[ordinal].node
    let environment = try processEnvironment(ordinal)
    let contexts = contexts(ordinal, environment: environment.own)
    let arguments = try node.action.arguments(shell: node.definition.shell, in: contexts) ?? []
    let directory = try workingDirectory(node, contexts)
    guard let program = arguments.first, !program.isEmpty else {
      throw OperationFailure(
        code: "command-not-found", message: "the name of the program, the first of the arguments, is empty",
        exitCode: 127)
    }
    return Job(
      id: JobID(run: state.id, ordinal: ordinal, attempt: number), operation: state.instances[ordinal].name,
      arguments: arguments, environment: environment, directory: directory,
      input: try standardInput(node, contexts),
      masker: node.definition.receivesSecret && !state.given.masker.isEmpty ? state.given.masker : nil,
      grace: node.definition.grace, files: logs)
  }

  private func workingDirectory(_ node: OperationNode, _ contexts: RunContexts) throws -> String? {
    let base = state.pipeline.source.directory
    guard let template = node.definition.directory else { return base == services.directory ? nil : base }
    let path = try template.evaluate(in: contexts).injectedText
    return path.hasPrefix("/") ? path : "\(base)/\(path)"
  }

  private func processEnvironment(_ ordinal: Int) throws -> AttemptEnvironment {
    let node = state.instances[ordinal].node
    var environment = AttemptEnvironment(jobs.environment)
    for (name, template) in node.definition.environment {
      try environment.set(name, to: template.evaluate(in: contexts(ordinal, environment: environment.own)).injectedText)
    }
    if case .named(let members) = node.definition.injection {
      var values: [(String, JSONValue)] = []
      for member in members {
        values.append((member.name, try member.value.evaluate(in: contexts(ordinal, environment: environment.own))))
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
    var bytes: [UInt8] = []
    if case .string(let text) = value { bytes = Array(text.utf8) } else if value != .null { value.write(to: &bytes) }
    return .bytes(bytes)
  }

  /// The file of a result, when the template is nothing but `results.<name>` of an operation whose result stays in one.
  private func wholeFile(of template: Template) -> ResultFile? {
    guard let expression = template.wholeExpression, expression.isWholeReference,
      let reference = expression.references.first,
      reference.context.lowercased() == "results", reference.path.count == 1,
      let position = state.position(of: reference.path[0]), case .file(let file) = state.instances[position].result
    else { return nil }
    return file
  }

  private func checkRequirement(_ value: JSONValue, _ type: ValueType) throws(OperationFailure) {
    if let mismatch = type.mismatch(of: value) {
      throw OperationFailure(
        code: "requirement-mismatch", message: "the requirement should be \(type.description): \(mismatch)")
    }
  }

  /// The operation failed by itself, and its logs do not tell all of it.
  private func tell(of cut: EngineError?, _ ordinal: Int) {
    guard let cut else { return }
    observer.emit(.notice(state.id, "the log of '\(state.instances[ordinal].name)' is incomplete: \(cut)"))
  }
}
