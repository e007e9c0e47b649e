import Expressions
import PipelineLanguage
import Values

/// Reading files for the expressions of operations, right before they are evaluated.
extension Run {
  /// Reads what the expressions of an operation are about to ask files for, unless they ask for nothing. Whoever evaluates them lets go of it:
  /// ``dropReadings(_:)``.
  ///
  /// - Throws: `CancellationError` where its task was cancelled, or the run meanwhile and the operation is not to go on in spite of that.
  nonisolated(nonsending) func readFiles(_ ordinal: Int, for time: ReadingTime = .attempt) async throws {
    guard let request = request(ordinal, for: time) else { return }
    // Hashes are small, however many there are; of results there is one copy at a time.
    if request.readsResults { await state.files.gate.enter(ordinal) }
    if !isOver(ordinal) { state.files.readings[ordinal] = try? await BlockingWork.run { FileReadings(request) } }
    // What was cut short is no answer either.
    guard isOver(ordinal) || Task.isCancelled else { return }
    dropReadings(ordinal)
    throw CancellationError()
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
    }
    return !request.readsResults && request.patterns.isEmpty ? nil : request
  }
}
