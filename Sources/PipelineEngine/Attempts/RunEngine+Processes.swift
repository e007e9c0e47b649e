import CProcess
import Expressions
import Glibc
import OperatingSystem
import PipelineLanguage
import RunHistory
import Values

/// `run` and `command`: one process for one attempt.
extension RunEngine {
  /// Starts the process of an operation, waits for its end and takes its result.
  func performProcess(_ ordinal: Int) async throws -> OperationResult {
    let node = state.instances[ordinal].node
    let process =
      try prepared.removeValue(forKey: ordinal) ?? prepareProcess(ordinal, attempt: state.instances[ordinal].attempts)
    defer { close(inputOf: process) }
    let (files, pipes, directory) = (process.files, process.pipes, process.directory)
    if Task.isCancelled {
      logs.giveBack(files)
      throw CancellationError()
    }
    var request = process.request
    let place: ProcessRecords.Place
    do {
      place = try processes.records.take(in: try logs.runDirectory())
    } catch {
      logs.giveBack(files)
      throw error
    }
    request.record = place
    let exit: ProcessExit
    do {
      exit = try await services.runner.run(isolation: self, request) { pid in
        pipes?.output.closeWriteEnd()
        pipes?.error.closeWriteEnd()
        state.instances[ordinal].attempt?.pid = pid
        processes.running.insert(pid)
        // Recorded only if the attempt lasts, so that its logs can be followed.
        state.instances[ordinal].attempt?.standardOutput = files.relativeOutput
        state.instances[ordinal].attempt?.standardError = files.relativeError
        logs.settle()
        if state.unfinished > 1, logs.runsShort { services.loop.whenIdle { [logs] in logs.makeSpares() } }
      } exited: { [unowned self] pid in
        assumeIsolated {
          $0.processes.running.remove(pid)
          $0.processExited(ordinal)
        }
      }
    } catch {
      processes.records.giveBack(place)
      logs.giveBack(files, areNamed: takeNamed(ordinal))
      // There has never been what was recorded as going on.
      state.instances[ordinal].attempt?.pid = nil
      state.instances[ordinal].attempt?.standardOutput = nil
      state.instances[ordinal].attempt?.standardError = nil
      throw startFailure(error, of: process)
    }
    processes.records.giveBack(place, isKept: exit.leftGroup)
    let cut = await finish(pipes)
    if exit.leftGroup, let group = state.instances[ordinal].attempt?.pid { processes.leftGroups.insert(group) }
    let sizes = files.sizes()
    state.instances[ordinal].attempt?.standardOutput = sizes.output > 0 ? files.relativeOutput : nil
    state.instances[ordinal].attempt?.standardError = sizes.error > 0 ? files.relativeError : nil
    let areNamed = takeNamed(ordinal)
    defer { if !exit.leftGroup { logs.giveBack(files, areNamed: areNamed) } }
    if Task.isCancelled || isForced {
      unlink(files.result.pointer)
      throw CancellationError()
    }
    if let signal = exit.signal {
      unlink(files.result.pointer)
      tell(of: cut, ordinal)
      let name = SignalName.name(of: signal)
      let hint = signal == SIGKILL ? "; if nobody killed it, the machine may have run out of memory" : ""
      throw OperationFailure(code: "signal", ownWords: "was ended by \(name)\(hint)", signal: signal)
    }
    if let code = exit.code, code != 0 {
      unlink(files.result.pointer)
      tell(of: cut, ordinal)
      throw OperationFailure(code: "exit", ownWords: "exited with code \(code)", exitCode: code)
    }
    guard let code = exit.code else {
      unlink(files.result.pointer)
      tell(of: cut, ordinal)
      throw OperationFailure.exitUnknown
    }
    state.instances[ordinal].attempt?.exitCode = Int(code)
    if let cut {
      unlink(files.result.pointer)
      throw cut
    }
    return try await takeResult(
      node, files: files, outputSize: sizes.output, directory: directory)
  }

  /// Whether the history may name the log files of the attempt, whose process has ended.
  private func takeNamed(_ ordinal: Int) -> Bool {
    defer { state.instances[ordinal].areLogsNamed = false }
    return state.instances[ordinal].areLogsNamed
  }

  // MARK: What the process gets

  /// Everything that the process of an attempt needs, up to its start.
  func prepareProcess(_ ordinal: Int, attempt number: Int) throws -> PreparedProcess {
    let node = state.instances[ordinal].node
    let environment = try processEnvironment(ordinal)
    let contexts = contexts(ordinal, environment: environment.own)
    let arguments = try commandLine(node, contexts)
    let directory = try workingDirectory(node, contexts)
    guard arguments.first != "" else {
      throw OperationFailure(
        code: "command-not-found", message: "the name of the program, the first of the arguments, is empty",
        exitCode: 127)
    }
    guard let program = arguments.first, let executable = services.executables.locate(program, path: environment.path)
    else {
      throw OperationFailure(
        code: "command-not-found",
        message:
          "the command '\((arguments.first ?? "").escapedForMessage)' was not found in PATH (\(environment.path ?? "unset"))",
        exitCode: 127)
    }
    let files = try logs.take()
    let list = environment.list(
      operation: state.instances[ordinal].name, attempt: number, files: files, shared: sharedEnvironment)
    let pipes: (output: MaskingPipe, error: MaskingPipe)?
    let input: ProcessRequest.Source
    do {
      pipes = try maskingPipes(node, files)
      if pipes != nil { try files.reserveResult() }
      input = try standardInput(ordinal, node, contexts)
    } catch {
      logs.giveBack(files)
      throw error
    }
    let request = ProcessRequest(
      executable: executable, arguments: CStringList(arguments.map(CString.init)), environment: list,
      directory: directory.map(CString.init), input: input,
      output: pipes.map { .descriptor($0.output.writeEnd) } ?? .file(files.output),
      error: pipes.map { .descriptor($0.error.writeEnd) } ?? .file(files.error), grace: node.definition.grace)
    return PreparedProcess(request: request, files: files, pipes: pipes, directory: directory)
  }

  /// Gives back what was made ready for an attempt that never came.
  func discardPrepared(_ ordinal: Int) {
    guard let process = prepared.removeValue(forKey: ordinal) else { return }
    close(inputOf: process)
    logs.giveBack(process.files)
  }

  /// Lets go of an input when nothing else is to be done: its memory may be much to give back.
  private func close(inputOf process: PreparedProcess) {
    if case .descriptor(let input) = process.request.input { services.loop.whenIdle { Glibc.close(input) } }
  }

  private func commandLine(_ node: OperationNode, _ contexts: RunContexts) throws -> [String] {
    switch node.definition.action {
    case .run(let script): return node.definition.shell + [script]
    case .command(let templates):
      return try templates.map { template in
        let text = try template.evaluate(in: contexts).injectedText
        guard !text.utf8.contains(0) else {
          throw OperationFailure(
            code: "nul-character",
            message: "an argument contains a NUL character, which no process can be given; use standard input")
        }
        return text
      }
    default: return []
    }
  }

  private func workingDirectory(_ node: OperationNode, _ contexts: RunContexts) throws -> String? {
    let base = state.pipeline.source.directory
    guard let template = node.definition.directory else { return base == services.directory ? nil : base }
    let path = try template.evaluate(in: contexts).injectedText
    return path.hasPrefix("/") ? path : "\(base)/\(path)"
  }

  private func processEnvironment(_ ordinal: Int) throws -> AttemptEnvironment {
    let node = state.instances[ordinal].node
    var environment = AttemptEnvironment(base: baseEnvironment, path: basePath)
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

  /// Standard input; a descriptor is the caller's to close.
  private func standardInput(
    _ ordinal: Int, _ node: OperationNode, _ contexts: RunContexts
  ) throws -> ProcessRequest.Source {
    let template: Template
    if case .automatic(let requirement) = node.definition.injection {
      template = requirement
      // A result that stays in its file goes to the process without passing through this one.
      if let file = wholeFile(of: requirement) {
        let opened = try file.open()
        do {
          return .descriptor(try opened.duplicate())
        } catch {
          throw ResultFile.unreadable(error)
        }
      }
    } else if let stdin = node.definition.stdin {
      template = stdin
    } else {
      return .empty
    }
    let value = try template.evaluate(in: contexts)
    if case .automatic = node.definition.injection, let type = node.definition.requires {
      try checkRequirement(value, type)
    }
    var bytes: [UInt8] = []
    if case .string(let text) = value { bytes = Array(text.utf8) } else if value != .null { value.write(to: &bytes) }
    let descriptor = bytes.withUnsafeBytes { penstock_memory_file($0.baseAddress, bytes.count) }
    guard descriptor >= 0 else { throw EngineError.systemCall("memfd_create", -descriptor) }
    return .descriptor(descriptor)
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

  private func maskingPipes(
    _ node: OperationNode, _ files: LogFiles
  ) throws -> (output: MaskingPipe, error: MaskingPipe)? {
    guard node.definition.receivesSecret, !state.masker.isEmpty else { return nil }
    let loop = try services.masking.loop()
    return (
      try MaskingPipe(to: files.output, masker: state.masker, on: loop),
      try MaskingPipe(to: files.error, masker: state.masker, on: loop)
    )
  }

  /// Ends the pipes of a process that has ended. Returns why a part of its output did not get to its logs.
  private func finish(_ pipes: (output: MaskingPipe, error: MaskingPipe)?) async -> EngineError? {
    guard let pipes else { return nil }
    var failure: EngineError?
    for pipe in [pipes.output, pipes.error] {
      do throws(EngineError) { try await pipe.finish() } catch { failure = failure ?? error }
    }
    return failure
  }

  /// The operation failed by itself, and its logs do not tell all of it.
  private func tell(of cut: EngineError?, _ ordinal: Int) {
    guard let cut else { return }
    emit(.notice(state.id, "the log of '\(state.instances[ordinal].name)' is incomplete: \(cut)"))
  }

  private func startFailure(_ error: ProcessStartError, of process: PreparedProcess) -> any Error {
    let reason = String(cString: strerror(error.number))
    let executable = process.request.executable.string
    switch error.number {
    case ENOENT, ENOTDIR:
      // The new process has opened its logs and entered its directory before it looked for its program, and tells no more than the number.
      if let missing = process.missingLog { return EngineError.runFile(missing, ENOENT) }
      var status = stat()
      if let directory = process.directory, stat(directory, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR {
        let isThere = lstat(directory, &status) == 0
        return OperationFailure(
          code: "directory-not-found",
          message: "the directory '\(directory)' \(isThere ? "is no directory" : "does not exist")")
      }
      return OperationFailure(
        code: "command-not-found", message: "'\(executable)' does not exist, or its interpreter does not", exitCode: 127
      )
    case EACCES:
      return OperationFailure(
        code: "command-not-executable", message: "'\(executable)' may not be executed: \(reason)", exitCode: 126)
    case E2BIG:
      return OperationFailure(
        code: "arguments-too-long",
        message:
          "the arguments and environment are too long for the system; inject large values whole, so that they arrive on standard input"
      )
    default:
      let engineError = EngineError.systemCall("starting '\(executable)'", error.number)
      guard !engineError.isExhaustion else { return engineError }
      return OperationFailure(
        code: "command-not-executable", message: "'\(executable)' cannot be executed: \(reason)", exitCode: 126)
    }
  }
}

/// A process that only has to be started.
struct PreparedProcess {
  let request: ProcessRequest
  let files: LogFiles
  let pipes: (output: MaskingPipe, error: MaskingPipe)?
  let directory: String?

  /// The path of a log that the process was to open and that is not there any more.
  var missingLog: String? {
    for case .file(let path) in [request.output, request.error] where access(path.pointer, F_OK) != 0 {
      return path.string
    }
    return nil
  }
}
