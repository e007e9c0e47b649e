import Expressions
import Values

extension PipelineChecker {
  /// Checks every expression and type, operation by operation in `order`, so that results are known before they are read.
  func checkTypes(in order: [Int]) {
    let shared = OperationTypes.Shared(draft.definition)
    resultTypes = Array(repeating: .json, count: draft.operations.count)
    for index in order {
      let operation = draft.operations[index]
      resultTypes[index] = checkTypes(of: operation, shared: shared)
    }
    draft.definition.valueTypes = valueTypes()
    for handler in draft.handlers { _ = checkTypes(of: handler, shared: shared) }
    let outside = OperationTypes(shared: shared, checker: self, seesOperations: false)
    let types = draft.sites.map { check($0, of: nil, in: outside) }
    for use in reader.pluginUses { checkSettings(of: use, types: types[use.firstSite...]) }
  }

  /// Returns the known types of `value` operations without a declared result. Their total size is limited like that of one type, because together they form
  /// the type of the pipeline's result.
  private func valueTypes() -> [Int: ValueType] {
    var types: [Int: ValueType] = [:]
    for (index, operation) in draft.operations.enumerated()
    where operation.definition.result == nil && operation.actionKey?.kind.undeclaredResult == .computed
      && resultTypes[index] != .json
    {
      types[index] = resultTypes[index]
    }
    let all = ValueType.object(types.values.map { ValueType.Field(name: "", type: $0) })
    return TypeInference.isBounded(all) ? types : [:]
  }

  /// Checks one operation; returns the type of its whole result.
  private func checkTypes(of operation: OperationDraft, shared: OperationTypes.Shared) -> ValueType {
    var environment = OperationTypes(
      shared: shared, checker: self, required: operation.event == nil ? operation.definition.requiredResults : [])
    var types = [ValueType](repeating: .json, count: operation.sites.count)
    if operation.definition.loop != nil {
      for (index, site) in operation.sites.enumerated() where site.use == .loop {
        types[index] = check(site, of: operation, in: environment)
      }
      environment.item = (operation.definition.loop?.itemName ?? "item", itemType(of: operation, types))
    }
    if operation.definition.repetition != nil { environment.previous = previousType(of: operation) }
    for (index, site) in operation.sites.enumerated() where site.use != .loop && site.use != .until {
      types[index] = check(site, of: operation, in: environment)
    }
    let single = resultType(of: operation, types)
    environment.own = (operation.definition.name, single == .none ? .json : single)
    for site in operation.sites where site.use == .until { _ = check(site, of: operation, in: environment) }
    checkNoResults(of: operation)
    checkInjection(of: operation, types)
    operation.actionKey?.kind.check(operation, types, in: self)
    checkLabel(of: operation, types)
    guard operation.definition.loop != nil else { return single }
    return single == .none ? .none : .list(single)
  }

  private func check(
    _ site: ExpressionSite, of operation: OperationDraft?, in environment: OperationTypes
  ) -> ValueType {
    var environment = environment
    if let operation { environment.ownVariables = ownVariables(of: operation, at: site) }
    let result: (type: ValueType, problems: [ExpressionProblem])
    var offset = -1
    switch site.body {
    case .template(let template): result = ExpressionChecker.check(template, in: environment)
    case .part(let template, let start):
      result = ExpressionChecker.check(template, in: environment)
      offset += start
    case .expression(let expression, let start):
      result = ExpressionChecker.check(expression, in: environment)
      offset += start
    }
    for problem in result.problems {
      reader.report(
        problem, at: reader.range(in: site.node, offset: problem.position + offset, length: problem.length))
    }
    // An expression with an error has no known type, because further errors would only be consequences. The same applies to the bare word null.
    guard result.problems.isEmpty, site.isSound, !site.hasUnknownName else { return .json }
    checkProgramText(site, in: environment)
    checkUndeclaredResults(site, of: operation, in: environment)
    return result.type == .none ? .json : result.type
  }

  /// Returns the operation's own variables that the context `env` contains at a site.
  private func ownVariables(of operation: OperationDraft, at site: ExpressionSite) -> [String] {
    switch site.use {
    case .environment: return draft.defaults.environment.map(\.name) + site.earlierVariables
    case .inject: return operation.definition.environment.map(\.name)
    case let use where use.seesOwnVariables:
      let own = operation.definition.environment.map(\.name)
      guard case .named(let injected) = operation.definition.injection else { return own }
      return own + injected.map(\.name)
    default: return []
    }
  }

  /// Returns the type of the previous round's result. For a `value`, which may be computed from it, only the declared type is known.
  private func previousType(of operation: OperationDraft) -> ValueType {
    let type = operation.actionKey?.kind.knownResult(of: operation, in: self) ?? operation.definition.result ?? .json
    return type == .none ? .json : type
  }

  /// Returns the result type of one execution of the action.
  private func resultType(of operation: OperationDraft, _ types: [ValueType]) -> ValueType {
    operation.actionKey?.kind.resultType(of: operation, types, in: self) ?? operation.definition.result ?? .json
  }

  private func itemType(of operation: OperationDraft, _ types: [ValueType]) -> ValueType {
    if let list = operation.loopList { return elementType(of: list, types, "'for_each'") }
    guard case .matrix? = operation.definition.loop?.source else { return .json }
    return MatrixTypes(of: operation.matrix, types, elements: elementType).item
  }

  private func elementType(of list: PlacedData, _ types: [ValueType], _ what: String) -> ValueType {
    let type = TypeInference.type(of: list, siteTypes: types)
    switch type {
    case .list(let element): return element
    case .json: return .json
    default:
      reader.error(.typeMismatch, "\(what) needs a list, found \(Self.shown(type))", at: list.node.range)
      return .json
    }
  }

  /// Formats a reason for the end of a message that already names both types; only a reason with a path adds information.
  static func detail(_ reason: String) -> String { reason.hasPrefix("expected ") ? "" : ": \(reason)" }

  /// Formats a type for a message, shortened if it is long.
  static func shown(_ type: ValueType) -> String {
    let text = type.description
    return text.utf8.count > 200 ? text.prefix(180) + "…" : text
  }

  /// Returns whether `type` accepts `found`; for literal data, whether it accepts the data itself.
  func accepts(_ type: ValueType, _ found: ValueType, literally data: PlacedData?) -> Acceptance {
    if case .literal(let value)? = data?.data {
      return type.mismatch(of: value).map { .no(reason: $0.description) } ?? .yes
    }
    return refusal(of: data, as: type).map { .no(reason: $0) } ?? type.accepts(found)
  }
}
