import Expressions
import Glibc
import PipelineLanguage
import Values

/// What the expressions of one operation find in files: results that are kept there, and hashes of files. Read beside the event loop right before the
/// expressions are evaluated, and let go of right after, so that nothing waits with a large value and nothing is evaluated with what was there earlier. What
/// is not in it is read where it is asked for.
struct FileReadings: Sendable {
  private(set) var results: [Int: Result<JSONValue, ExpressionError>] = [:]
  private(set) var hashes: [[String]: Result<String, ExpressionError>] = [:]

  /// What is to be read.
  struct Request: Sendable {
    var results: [Int: ResultFile] = [:]
    var patterns: Set<[String]> = []
    /// Where patterns start from.
    var directory: String
  }

  /// Reads all of it. May take long.
  init(_ request: Request) {
    for (position, file) in request.results { results[position] = Self.load(file) }
    for patterns in request.patterns { hashes[patterns] = Self.hash(patterns, in: request.directory) }
  }

  /// The value of a result that is kept in a file.
  static func load(_ file: ResultFile) -> Result<JSONValue, ExpressionError> {
    do throws(OperationFailure) {
      return .success(try file.load())
    } catch {
      return .failure(ExpressionError(otherCode: error.code, error.message))
    }
  }

  static func hash(_ patterns: [String], in directory: String) -> Result<String, ExpressionError> {
    do throws(EngineError) {
      return .success(try FileHash.hash(patterns: patterns, in: directory))
    } catch {
      return .failure(ExpressionError(otherCode: "hash-files", "hashFiles: \(error)"))
    }
  }
}

extension RunEngine {
  /// Reads what the expressions of an operation will ask files for, unless they ask for nothing.
  func readFiles(_ ordinal: Int) async {
    guard let request = request(ordinal) else { return }
    state.files.readings[ordinal] = try? await BlockingWork.run { FileReadings(request) }
  }

  /// Whether they ask for anything.
  func willReadFiles(_ ordinal: Int) -> Bool { request(ordinal) != nil }

  /// What an attempt of a process or a value will read; nil where that is nothing. Other kinds of actions wait with what they have evaluated, and conditions,
  /// items and names are evaluated at other times: these read on the loop what they ask for.
  func request(_ ordinal: Int) -> FileReadings.Request? {
    guard state.files.areNeeded else { return nil }
    let definition = state.instances[ordinal].node.definition
    switch definition.action {
    case .run, .command, .value: break
    case .http, .uses, .wait, .pipeline, .approve: return nil
    }
    var request = FileReadings.Request(directory: state.pipeline.source.directory)
    for input in definition.inputs {
      switch input.arrival {
      case .condition, .items, .until, .exclusive: continue
      default: break
      }
      request.patterns.formUnion(input.filePatterns)
      // A process gets the file itself.
      if input.arrival == .standardInput, case .automatic(let template) = definition.injection,
        template.wholeExpression?.isWholeReference == true
      {
        continue
      }
      for reference in input.references where reference.context.lowercased() == "results" {
        guard let position = reference.path.first.flatMap(state.position),
          case .file(let file) = state.instances[position].result
        else { continue }
        request.results[position] = file
      }
    }
    return request.results.isEmpty && request.patterns.isEmpty ? nil : request
  }
}
