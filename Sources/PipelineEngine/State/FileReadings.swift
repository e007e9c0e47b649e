import Expressions
import Glibc
import PipelineLanguage
import Values

/// What the expressions of one operation read from files: results kept in files and hashes of files, as well as the values of templates that use
/// large values. Created off the event loop right before the expressions are evaluated and released right after, so that nothing waits while holding
/// a large value and nothing is evaluated with outdated content. Anything not included is read or evaluated on demand.
struct FileReadings: Sendable {
  private(set) var results: [Int: Result<JSONValue, ExpressionError>] = [:]
  /// The result of the previous round.
  private(set) var previous: Result<JSONValue, ExpressionError>?
  private(set) var hashes: [[String]: Result<String, ExpressionError>] = [:]
  /// The values of the templates that use large values.
  private(set) var values: [Template: Result<JSONValue, ExpressionError>] = [:]

  /// What is to be read and evaluated.
  struct Request: Sendable {
    var results: [Int: ResultFile] = [:]
    var previous: ResultFile?
    var patterns: Set<[String]> = []
    /// The directory that patterns are relative to.
    var directory: String
    /// Templates that use large values and therefore take long to evaluate.
    var templates: Set<Template> = []
    /// The contexts of these templates, except for what is read.
    var contexts = FrozenContexts()

    /// Whether the readings may be large.
    var holdsMuch: Bool { !results.isEmpty || previous != nil || !templates.isEmpty }
    /// Whether there is nothing to do.
    var isEmpty: Bool { !holdsMuch && patterns.isEmpty }
  }

  /// Reads all of it, which may take long, unless the current task is cancelled.
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
      // A template that uses an unforeseen value is evaluated on the event loop, where everything is known.
      if case .failure(let error) = value, error.code == FrozenContexts.unforeseen.code { continue }
      values[template] = value
    }
  }

  /// Returns the value of a result that is kept in a file.
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

/// When an operation's expressions are evaluated. Each time, they see the current content of files.
enum ReadingTime {
  /// For its `when`.
  case condition
  /// For the items of a loop.
  case items
  /// For its exclusive name.
  case exclusive
  /// For `until`, after an attempt.
  case repetition
  /// For the start of an attempt.
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
