import Expressions
import PipelineLanguage
import Values

/// Reading files for the expressions of operations, and evaluating those that take long, right before they are evaluated.
extension Run {
  /// Reads what the expressions of an operation are about to ask files for, unless they ask for nothing. Whoever evaluates them lets go of it:
  /// ``dropReadings(_:)``.
  ///
  /// - Throws: `CancellationError` where its task was cancelled, or the run meanwhile and the operation is not to go on in spite of that.
  nonisolated(nonsending) func readFiles(_ ordinal: Int, for time: ReadingTime = .attempt) async throws {
    guard var wanted = request(ordinal, for: time) else { return }
    // Hashes are small, however many there are; of results there is one copy at a time.
    if wanted.holdsMuch {
      await state.files.gate.enter(ordinal)
      wanted = request(ordinal, for: time) ?? wanted
    }
    while !isOver(ordinal), !Task.isCancelled {
      let readings = await BlockingWork.run { [wanted] in FileReadings(wanted) }
      // What has come to the run meanwhile, the expressions see.
      if !wanted.templates.isEmpty, contexts(ordinal).status != wanted.contexts.status,
        let next = request(ordinal, for: time)
      {
        wanted = next
        continue
      }
      state.files.readings[ordinal] = readings
      break
    }
    // What was cut short is no answer either.
    guard isOver(ordinal) || Task.isCancelled else { return }
    dropReadings(ordinal)
    throw CancellationError()
  }

  /// Whether `when` holds of an operation that goes on, and may itself be reading something meanwhile. What cannot be evaluated does not hold, and nothing does
  /// once the task is cancelled.
  nonisolated(nonsending) func holdsStill(
    _ condition: Expression, for ordinal: Int, by request: FileReadings.Request
  ) async -> Bool {
    // As somebody else than the operation.
    let reader = -1 - ordinal
    if request.holdsMuch { await state.files.gate.enter(reader) }
    defer { state.files.gate.leave(reader) }
    var contexts = contexts(ordinal)
    contexts.ownReadings = await BlockingWork.run { FileReadings(request) }
    return !Task.isCancelled && (try? contexts.isTruthy(condition)) ?? false
  }

  /// Whether an operation that was about to evaluate something does not: the run was cancelled, and it is not one that is asked, or runs, in spite of that.
  private func isOver(_ ordinal: Int) -> Bool {
    isForced || (isCalledOff(ordinal) && !mayBeAsked(ordinal))
  }

  /// Lets go of what was read for an operation, which may be much while what it begins may last.
  func dropReadings(_ ordinal: Int) {
    guard state.files.areNeeded else { return }
    state.files.readings[ordinal] = nil
    state.files.gate.leave(ordinal)
  }

  /// Whether the expressions of an attempt ask for anything.
  func willReadFiles(_ ordinal: Int) -> Bool { request(ordinal, for: .attempt) != nil }

  /// What the expressions of an operation will read; nil where that is nothing.
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
        // To one of an item, the loop is that item.
        let position = state.instances[ordinal].parent == named ? ordinal : named
        guard case .file(let file) = state.instances[position].result else { continue }
        request.results[position] = file
      }
      // That of an item sees the item, which is not made yet.
      if input.arrival != .label { long += input.templates.filter { isLong($0, for: ordinal) } }
    }
    for template in long { freeze(template, for: ordinal, in: &request) }
    return request.isEmpty ? nil : request
  }

  /// Whether a template takes longer than a millisecond: it does more with something large than to name it, or may ask for hashes of files that cannot be named
  /// beforehand.
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

  /// Notes what a template sees now. One that sees more than can be noted is evaluated on the loop.
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
