import Expressions
import PipelineLanguage
import Values

/// Reading files for the expressions of operations, and evaluating slow templates, right before they are needed.
extension Run {
  /// Reads what the expressions of an operation are about to use from files, if anything. The code that evaluates them must release it with
  /// ``dropReadings(_:)``.
  ///
  /// - Throws: `CancellationError` if the current task was cancelled, or if the run was cancelled in the meantime and the operation does not outlast that.
  nonisolated(nonsending) func readFiles(_ ordinal: Int, for time: ReadingTime = .attempt) async throws {
    guard var wanted = request(ordinal, for: time) else { return }
    // Hashes are small, however many there are; of large results, only one operation holds a copy at a time.
    if wanted.holdsMuch {
      await state.files.gate.enter(ordinal)
      wanted = request(ordinal, for: time) ?? wanted
    }
    while !isOver(ordinal), !Task.isCancelled {
      let readings = await BlockingWork.run { [wanted] in FileReadings(wanted) }
      // The expressions must see what has happened to the run in the meantime.
      if !wanted.templates.isEmpty, contexts(ordinal).status != wanted.contexts.status,
        let next = request(ordinal, for: time)
      {
        wanted = next
        continue
      }
      state.files.readings[ordinal] = readings
      break
    }
    // Readings that were cut short must not be used either.
    guard isOver(ordinal) || Task.isCancelled else { return }
    dropReadings(ordinal)
    throw CancellationError()
  }

  /// Whether `when` holds for an operation that is running, and may be reading something itself. A condition that cannot be evaluated does not hold,
  /// nor does any once the task is cancelled.
  nonisolated(nonsending) func holdsStill(
    _ condition: Expression, for ordinal: Int, by request: FileReadings.Request
  ) async -> Bool {
    // A distinct key, because the operation itself may hold the gate.
    let reader = -1 - ordinal
    if request.holdsMuch { await state.files.gate.enter(reader) }
    defer { state.files.gate.leave(reader) }
    var contexts = contexts(ordinal)
    contexts.ownReadings = await BlockingWork.run { FileReadings(request) }
    return !Task.isCancelled && (try? contexts.isTruthy(condition)) ?? false
  }

  /// Whether an operation no longer needs an evaluation, because the run was cancelled and it is neither evaluated nor run in a cancelled run.
  private func isOver(_ ordinal: Int) -> Bool {
    isForced || (isCalledOff(ordinal) && !mayBeAsked(ordinal))
  }

  /// Releases what was read for an operation, which may be large, while what it begins may take long.
  func dropReadings(_ ordinal: Int) {
    guard state.files.areNeeded else { return }
    state.files.readings[ordinal] = nil
    state.files.gate.leave(ordinal)
  }

  /// Whether the expressions of an attempt read anything.
  func willReadFiles(_ ordinal: Int) -> Bool { request(ordinal, for: .attempt) != nil }

  /// Returns what the expressions of an operation will read, or nil if nothing.
  func request(_ ordinal: Int, for time: ReadingTime) -> FileReadings.Request? {
    guard state.files.areNeeded else { return nil }
    let definition = state.instances[ordinal].node.definition
    var request = FileReadings.Request(directory: state.pipeline.source.directory)
    var long: [Template] = []
    for input in definition.inputs where time.includes(input.arrival) {
      request.patterns.formUnion(input.filePatterns)
      // A process gets the file itself.
      if input.arrival == .standardInput, case .automatic(let template) = definition.injection,
        template.wholeExpression?.isWholeReference == true, template.references.first?.context != "previous"
      {
        continue
      }
      if case .file(let file)? = state.previous[ordinal], input.references.contains(where: { $0.context == "previous" })
      {
        request.previous = file
      }
      for reference in input.references where reference.context.lowercased() == "results" {
        guard let named = reference.path.first.flatMap(state.position) else { continue }
        // For an item, the name of its loop means the item itself.
        let position = state.instances[ordinal].parent == named ? ordinal : named
        guard case .file(let file) = state.instances[position].result else { continue }
        request.results[position] = file
      }
      // A label sees the item, which has not been created yet.
      if input.arrival != .label { long += input.templates.filter { isLong($0, for: ordinal) } }
    }
    for template in long { freeze(template, for: ordinal, in: &request) }
    return request.isEmpty ? nil : request
  }

  /// Whether a template takes longer than a millisecond to evaluate: it does more with a large value than refer to it, or it may hash files whose
  /// patterns are not known beforehand.
  private func isLong(_ template: Template, for ordinal: Int) -> Bool {
    if template.mayHashUnnamedFiles { return true }
    guard template.wholeExpression?.isWholeReference != true else { return false }
    return template.references.contains { reference in
      switch reference.context {
      case "results":
        guard let named = reference.path.first.flatMap(state.position) else { return false }
        return state.files.large.contains(state.instances[ordinal].parent == named ? ordinal : named)
      case "previous":
        switch state.previous[ordinal] {
        case .file?: return true
        case .value(let value)?: return value.isLarge
        case OperationResult.none?, nil: return false
        }
      case "params": return state.files.hasLargeParameters
      case "run": return false
      default: return state.instances[ordinal].item?.isLarge == true
      }
    }
  }

  /// Takes a snapshot of what a template uses. If that is not possible, the template is evaluated on the event loop.
  private func freeze(_ template: Template, for ordinal: Int, in request: inout FileReadings.Request) {
    var contexts = request.contexts
    let definition = state.instances[ordinal].node.definition
    var variables = definition.environment.map(\.name)
    if case .named(let members) = definition.injection { variables += members.map(\.name) }
    guard contexts.note(template.references, in: self.contexts(ordinal), besides: variables) else { return }
    request.contexts = contexts
    request.templates.insert(template)
  }
}

extension Template {
  fileprivate var mayHashUnnamedFiles: Bool {
    expressions.contains { expression, _ in
      expression.functionNames.contains(ExpressionFunction.hashFiles.name) && expression.filePatterns.isEmpty
    }
  }
}
