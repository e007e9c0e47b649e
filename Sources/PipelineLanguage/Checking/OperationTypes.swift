import Expressions
import Values

/// The names available to the expressions of a pipeline, with their types.
struct OperationTypes: TypeEnvironment {
  /// The names that are the same for all expressions of a pipeline.
  final class Shared {
    let parameters: [String: ValueType]
    let parameterNames: [String]
    let variables: [String]
    let variableSet: Set<String>
    let secrets: [String]
    let secretSet: Set<String>

    init(_ definition: PipelineDefinition) {
      parameters = Dictionary(definition.parameters.map { ($0.name, $0.type) }) { first, _ in first }
      parameterNames = definition.parameters.map(\.name)
      variables = definition.environment.map(\.name)
      variableSet = Set(variables)
      secrets = definition.secrets.map(\.name)
      secretSet = Set(secrets)
    }
  }

  let shared: Shared
  let checker: PipelineChecker
  /// Whether operations are visible; false for expressions outside operations, which are evaluated before any operation.
  var seesOperations = true
  /// The operation's own environment variables, if the context `env` includes them.
  var ownVariables: [String] = []
  /// The item of the operation's loop.
  var item: (name: String, type: ValueType)?
  /// The operation that reads its own latest result, with the type of that result.
  var own: (name: String, type: ValueType)?
  /// The type of the previous round's result in a repeated operation. In the first round, the value is null.
  var previous: ValueType?
  /// The positions of the dependencies whose result certainly exists; nil outside operations.
  var required: Set<Int>?

  var contextNames: [String] {
    guard seesOperations else { return ["params", "secrets", "run"] }
    var names = ["params", "env", "secrets", "results", "errors", "operations", "artifacts", "run"]
    if let item { names.append(item.name) }
    if previous != nil { names.append("previous") }
    return names
  }

  func type(of context: String) -> ContextType? {
    if let item, item.name == context { return .value(item.type) }
    switch context {
    case "params":
      return .members({ name in shared.parameters[name].map { MemberType($0) } }, names: { shared.parameterNames })
    case "secrets":
      return .members(
        { name in shared.secretSet.contains(name) ? MemberType(.string) : nil }, names: { shared.secrets })
    case "run": return .value(Self.run)
    case "env" where seesOperations && !checker.reader.lacksIncluded:
      return .members(
        { name in
          shared.variableSet.contains(name) || ownVariables.contains(name) ? MemberType(.string) : nil
        }, names: { shared.variables + ownVariables })
    case "results" where seesOperations: return .members(result, names: { operationNames })
    case "errors" where seesOperations:
      return .members({ _ in MemberType(Self.error, isOptional: true) }, names: { operationNames })
    case "artifacts" where seesOperations:
      return .members(
        artifacts, names: { checker.draft.operations.lazy.filter(\.keepsArtifacts).map(\.definition.name) })
    case "operations" where seesOperations:
      return .members({ _ in MemberType(Self.operation) }, names: { operationNames })
    // Contexts that exist elsewhere; `checkAvailability` has reported those that do not exist here.
    case "previous": return .value(previous ?? .json)
    case "env", "results", "errors", "operations", "artifacts", "item": return .value(.json)
    default: return nil
    }
  }

  // Unknown operation names were reported when references were resolved; here they get a type that allows everything.
  private func result(_ name: String) -> MemberType? {
    if let own, OperationName.areSame(own.name, name) { return MemberType(own.type) }
    guard let index = checker.index(of: name) else { return MemberType(.json) }
    let type = checker.resultTypes[index]
    return MemberType(type == .none ? .json : type, isOptional: required?.contains(index) != true)
  }

  private func artifacts(_ name: String) -> MemberType? {
    guard let index = checker.index(of: name) else { return MemberType(.json) }
    return checker.draft.operations[index].artifactType.map { MemberType($0, isOptional: true) }
  }

  private var operationNames: [String] { checker.draft.operations.map(\.definition.name) }

  private static func field(_ name: String, _ type: ValueType, optional: Bool = false) -> ValueType.Field {
    ValueType.Field(name: name, type: type, isOptional: optional)
  }

  /// The type of `errors.x`.
  static let error = ValueType.object([
    field("code", .string), field("message", .string), field("exit_code", .int, optional: true),
    field("signal", .string, optional: true), field("status", .int, optional: true),
    field("attempts", .int, optional: true),
  ])
  /// The type of `operations.x`.
  static let operation = ValueType.object([
    field("state", .string), field("attempts", .int), field("started_at", .timestamp, optional: true),
    field("ended_at", .timestamp, optional: true), field("duration", .duration, optional: true),
  ])
  /// The type of `run`.
  static let run = ValueType.object([
    field("id", .string), field("pipeline", .string), field("started_at", .timestamp), field("at", .timestamp),
    field("attempt", .int), field("workspace", .string), field("directory", .string), field("event", .json),
    field("folder", .string),
  ])
}
