import Expressions
import Glibc
import PipelineLanguage
import Values

/// What the expressions of one operation find in files: results that are kept there, and hashes of files. Read beside the event loop right before the
/// expressions are evaluated, and let go of right after, so that nothing waits with a large value and nothing is evaluated with what was there earlier. What
/// is not in it is read where it is asked for.
struct FileReadings: Sendable {
  private(set) var results: [Int: Result<JSONValue, ExpressionError>] = [:]
  /// The result of the round before.
  private(set) var previous: Result<JSONValue, ExpressionError>?
  private(set) var hashes: [[String]: Result<String, ExpressionError>] = [:]

  /// What is to be read.
  struct Request: Sendable {
    var results: [Int: ResultFile] = [:]
    var previous: ResultFile?
    var patterns: Set<[String]> = []
    /// Where patterns start from.
    var directory: String

    var readsResults: Bool { !results.isEmpty || previous != nil }
  }

  /// Reads all of it, which may take long, unless the task that it is read for is cancelled.
  init(_ request: Request) {
    for (position, file) in request.results where !Task.isCancelled { results[position] = Self.load(file) }
    if let file = request.previous, !Task.isCancelled { previous = Self.load(file) }
    for patterns in request.patterns {
      hashes[patterns] = Self.hash(patterns, in: request.directory) { Task.isCancelled }
    }
  }

  /// The value of a result that is kept in a file.
  static func load(_ file: ResultFile) -> Result<JSONValue, ExpressionError> {
    do throws(OperationFailure) {
      return .success(try file.load())
    } catch {
      return .failure(ExpressionError(otherCode: error.code, error.message))
    }
  }

  static func hash(
    _ patterns: [String], in directory: String, isCancelled: () -> Bool = { false }
  ) -> Result<String, ExpressionError> {
    do throws(EngineError) {
      return .success(try FileHash.hash(patterns: patterns, in: directory, isCancelled: isCancelled))
    } catch {
      return .failure(ExpressionError(otherCode: "hash-files", "hashFiles: \(error)"))
    }
  }
}

/// When expressions of an operation are evaluated: each time they see what is in files then.
enum ReadingTime {
  /// Its `when`.
  case condition
  /// The items of a loop.
  case items
  /// Its exclusive name.
  case exclusive
  /// `until`, after an attempt.
  case repetition
  /// An attempt begins.
  case attempt

  func includes(_ arrival: OperationInput.Arrival) -> Bool {
    switch arrival {
    case .condition: self == .condition
    case .items, .label: self == .items
    case .exclusive: self == .exclusive
    case .until: self == .repetition
    case .standardInput, .variable, .argument, .parameter, .setting, .request, .requirement, .value, .directory:
      self == .attempt
    }
  }
}

extension RunEngine {
  /// Reads what the expressions of an operation are about to ask files for, unless they ask for nothing. Whoever evaluates them lets go of it:
  /// ``dropReadings(_:)``.
  ///
  /// - Throws: `CancellationError` where its task was cancelled, or the run meanwhile and the operation is not to go on in spite of that.
  func readFiles(_ ordinal: Int, for time: ReadingTime = .attempt) async throws {
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
