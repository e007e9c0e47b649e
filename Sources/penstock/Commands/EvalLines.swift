import Expressions
import Glibc
import OperatingSystem
import OrderedCollections
import Values

/// Evaluates one expression per line of standard input as the lines arrive; answers are never held back.
struct EvalLines {
  /// The contexts of a line that gives none: empty, so that a reference to one is an error.
  static let none: OrderedDictionary<String, JSONValue> = [:]

  /// The maximum length of a line, which holds an expression and its contexts, in bytes.
  private static let longestLine = 64 << 20

  /// - Throws: `CommandFailure` if a line is too long.
  func run() throws {
    var pending: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var output: [UInt8] = []
    while true {
      let count = SystemCall.retrying { read(STDIN_FILENO, &chunk, chunk.count) }
      guard count > 0 else { break }
      var start = 0
      while let end = chunk[start..<count].firstIndex(of: 0x0A) {
        if pending.isEmpty {
          answer(chunk[start..<end], into: &output)
        } else {
          pending += chunk[start..<end]
          answer(pending[...], into: &output)
          pending.removeAll(keepingCapacity: true)
        }
        start = end + 1
      }
      pending += chunk[start..<count]
      guard pending.count <= Self.longestLine else {
        throw CommandFailure("a line of standard input is longer than \(Self.longestLine >> 20) MiB")
      }
      TextOutput.standard.writeJSON(output)
      output.removeAll(keepingCapacity: true)
      // The next read may block, and the caller waits for these answers before it sends more.
      TextOutput.standard.flush()
      if TextOutput.standard.isGone { return }
    }
    if !pending.isEmpty { answer(pending[...], into: &output) }
    TextOutput.standard.writeJSON(output)
  }

  private func answer(_ line: ArraySlice<UInt8>, into output: inout [UInt8]) {
    value(of: line).write(to: &output)
    output.append(0x0A)
  }

  private func value(of line: ArraySlice<UInt8>) -> JSONValue {
    do {
      let question = try JSONValue.parse(line)
      guard let text = question["expr"]?.stringValue else {
        return Self.failure("the line must be an object with a string 'expr'", position: 1)
      }
      let contexts = question["contexts"]?.objectValue ?? Self.none
      return .object(["value": try Expression.parse(text).evaluate(in: ObjectContexts(contexts))])
    } catch let error as ExpressionError {
      return Self.answer(error)
    } catch {
      return Self.failure("the line is not JSON: \(error)", position: 1)
    }
  }

  static func answer(_ error: ExpressionError) -> JSONValue {
    failure(error.description, position: max(1, error.position))
  }

  private static func failure(_ message: String, position: Int) -> JSONValue {
    .object(["error": .object(["message": .string(message), "position": .int(Int64(position))])])
  }
}
