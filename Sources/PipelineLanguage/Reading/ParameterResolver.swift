import Values

/// A problem with a param that a pipeline was started with.
public struct ParameterProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the param, as given or declared.
  public var name: String
  /// A stable, kebab-case identifier: `unknown-param`, `duplicate-param`, `missing-param` or `invalid-param`.
  public var code: String
  /// What is wrong, in one sentence without a full stop.
  public var message: String
  /// How to fix it, such as `did you mean 'feed'?`.
  public var fix: String?

  /// The message with its fix.
  public var description: String { fix.map { "\(message), \($0)" } ?? message }
}

/// All problems with the params that a pipeline was started with; never empty.
public struct ParameterProblems: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problems: first invalid params in the order given, then missing ones in file order.
  public var problems: [ParameterProblem]

  /// The problems, one per line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The problems with the params that one pipeline passes to another.
package struct ParameterMismatch: Error {
  /// All problems, in one sentence.
  package let message: String
}

/// Converts the arguments of `-p name=value` to the values of a pipeline's params.
public enum ParameterResolver {
  /// Returns the values of all params of `definition`: those in `given`, without duplicates, then those in `values`, and defaults for the rest.
  ///
  /// A text is parsed according to the param's type: `string`, `file`, `duration`, `size`, `timestamp` and `date` as they are, everything else as JSON
  /// (for `json`, text that is not valid JSON is a string). The value is then checked against the type, `min`, `max`, `enum` and `pattern`.
  public static func resolve(
    _ definition: PipelineDefinition, given: [(name: String, text: String)], values others: [String: JSONValue] = [:]
  ) -> Result<[String: JSONValue], ParameterProblems> {
    let declared = Dictionary(definition.parameters.map { ($0.name, $0) }) { first, _ in first }
    var values: [String: JSONValue] = [:]
    var problems: [ParameterProblem] = []
    var misread: Set<String> = []
    var seen: Set<String> = []
    for (name, text) in given {
      guard seen.insert(name).inserted else {
        problems.append(
          ParameterProblem(name: name, code: "duplicate-param", message: "the param '\(name)' is given more than once"))
        continue
      }
      guard let parameter = declared[name] else {
        problems.append(unknown(name, in: definition))
        continue
      }
      switch value(of: text, for: parameter) {
      case .success(let value):
        values[name] = value
      case .failure(let problem):
        misread.insert(name)
        problems.append(problem)
      }
    }
    for parameter in definition.parameters where values[parameter.name] == nil && !misread.contains(parameter.name) {
      if let value = others[parameter.name] ?? parameter.defaultValue {
        values[parameter.name] = value
      } else {
        problems.append(
          ParameterProblem(
            name: parameter.name, code: "missing-param",
            message: "the param '\(parameter.name)' is required: it is \(parameter.type.noun) and has no default",
            fix: "add '-p \(parameter.name)=…'"))
      }
    }
    return problems.isEmpty ? .success(values) : .failure(ParameterProblems(problems: problems))
  }

  /// Returns the values of all params of `definition`: the `values` that an outer pipeline passes, and defaults for the rest.
  ///
  /// - Throws: ``ParameterMismatch`` with all problems.
  package static func resolve(
    _ definition: PipelineDefinition, values: [(name: String, value: JSONValue)]
  ) throws(ParameterMismatch) -> [String: JSONValue] {
    let given = Dictionary(values.map { ($0.name, $0.value) }) { $1 }
    var resolved: [String: JSONValue] = [:]
    var problems: [String] = []
    for parameter in definition.parameters {
      guard let value = given[parameter.name] ?? parameter.defaultValue else {
        problems.append("the param '\(parameter.name)' is required")
        continue
      }
      if let problem = ParameterRule.problem(with: value, for: parameter) {
        problems.append("the param '\(parameter.name)' \(problem)")
      }
      resolved[parameter.name] = value
    }
    guard problems.isEmpty else { throw ParameterMismatch(message: problems.joined(separator: "; ")) }
    return resolved
  }

  static func unknown(_ name: String, in definition: PipelineDefinition) -> ParameterProblem {
    let names = definition.parameters.map(\.name)
    let fix = NearestName.suggestion(for: name, among: names).map { "did you mean '\($0)'?" }
    return ParameterProblem(
      name: name, code: "unknown-param", message: "the pipeline '\(definition.name)' has no param '\(name)'",
      fix: fix ?? (names.isEmpty ? "it has no params" : "its params are \(names.joined(separator: ", "))"))
  }

  static func value(
    of text: String, for parameter: PipelineDefinition.Parameter
  ) -> Result<JSONValue, ParameterProblem> {
    func problem(_ message: String) -> Result<JSONValue, ParameterProblem> {
      .failure(
        ParameterProblem(
          name: parameter.name, code: "invalid-param", message: "the param '\(parameter.name)' \(message)", fix: nil))
    }
    let value: JSONValue
    switch parameter.type {
    case .string, .file, .duration, .size, .timestamp, .date: value = .string(text)
    case .json: value = (try? JSONValue.parse(text)) ?? .string(text)
    case .int, .number, .bool, .none, .list, .object:
      do {
        value = try JSONValue.parse(text)
      } catch {
        switch parameter.type {
        case .list, .object: return problem("needs JSON: \(error.message)")
        default: return problem("has the wrong type: expected \(parameter.type), found '\(text)'")
        }
      }
    }
    return ParameterRule.problem(with: value, for: parameter).map(problem) ?? .success(value)
  }
}
