import Expressions
import Glibc
import PipelineLanguage
import Values

/// What the expressions of one operation find in files: results that are kept there, and hashes of files; and what those come to that are made of large
/// values. Made beside the event loop right before the expressions are evaluated, and let go of right after, so that nothing waits with a large value and
/// nothing is evaluated with what was there earlier. What is not in it is read, or evaluated, where it is asked for.
struct FileReadings: Sendable {
  private(set) var results: [Int: Result<JSONValue, ExpressionError>] = [:]
  /// The result of the round before.
  private(set) var previous: Result<JSONValue, ExpressionError>?
  private(set) var hashes: [[String]: Result<String, ExpressionError>] = [:]
  /// The values of the templates that are made of large ones.
  private(set) var values: [Template: Result<JSONValue, ExpressionError>] = [:]

  /// What is to be read, and evaluated.
  struct Request: Sendable {
    var results: [Int: ResultFile] = [:]
    var previous: ResultFile?
    var patterns: Set<[String]> = []
    /// Where patterns start from.
    var directory: String
    /// What is made of large values, and takes long by that.
    var templates: Set<Template> = []
    /// What these see, but for what is read.
    var contexts = FrozenContexts()

    /// Whether what comes of it may be large.
    var holdsMuch: Bool { !results.isEmpty || previous != nil || !templates.isEmpty }
    /// Whether there is nothing to do.
    var isEmpty: Bool { !holdsMuch && patterns.isEmpty }
  }

  /// Reads all of it, which may take long, unless the task that it is read for is cancelled.
  init(_ request: Request) {
    for (position, file) in request.results where !Task.isCancelled { results[position] = Self.load(file) }
    if let file = request.previous, !Task.isCancelled { previous = Self.load(file) }
    for patterns in request.patterns {
      hashes[patterns] = Self.hash(patterns, in: request.directory) { Task.isCancelled }
    }
    guard !request.templates.isEmpty else { return }
    var contexts = request.contexts
    contexts.add(self, directory: request.directory)
    for template in request.templates where !Task.isCancelled {
      let value = Result { () throws(ExpressionError) in try template.evaluate(in: contexts) }
      // What was not foreseen is evaluated where everything is known.
      if case .failure(let error) = value, error.code == FrozenContexts.unforeseen.code { continue }
      values[template] = value
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
    case .standardInput, .variable, .argument, .parameter, .setting, .request, .requirement, .value, .directory,
      .artifact:
      self == .attempt
    }
  }
}
