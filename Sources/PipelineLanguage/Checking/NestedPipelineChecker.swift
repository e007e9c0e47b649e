import Values

extension PipelineChecker {
  /// Loads every nested pipeline.
  func loadNestedPipelines() {
    var refused: Set<String> = []
    forEachDraft { operation in
      guard let call = operation.nestedCall, !call.path.isEmpty else { return }
      operation.definition.action = .pipeline(
        path: call.path, parameters: call.parameters.map { ($0.name, $0.value.data) })
      guard nested[call.path] == nil || refused.contains(call.path) else { return }
      switch session.nested(call.path, from: draft.definition.source) {
      case .loaded(let pipeline): nested[call.path] = .some(pipeline)
      case .broken(let known): nested[call.path] = .some(known)
      case .refused(let code, let message):
        refused.insert(call.path)
        nested[call.path] = .some(nil)
        reader.error(code, message, at: call.node.range)
      }
    }
  }

  /// Checks the params passed to a nested pipeline against its declarations.
  func checkNestedParameters(of operation: OperationDraft, _ types: [ValueType]) {
    guard let call = operation.nestedCall, let pipeline = nested[call.path] ?? nil, pipeline.gaps?.parameters != true
    else { return }
    let declared = Dictionary(pipeline.parameters.map { ($0.name, $0) }) { first, _ in first }
    var given: Set<String> = []
    // A misspelt param is taken as the missing one, so that only one error is reported.
    var meant: Set<String> = []
    for parameter in call.parameters {
      guard let declaration = declared[parameter.name] else {
        let names = pipeline.parameters.map(\.name)
        if let name = NearestName.suggestion(for: parameter.name, among: names) { meant.insert(name) }
        reader.error(
          .unknownParam, "the pipeline '\(pipeline.name)' has no param '\(parameter.name)'", at: parameter.range,
          fix: reader.suggestion(for: parameter.name, among: names))
        continue
      }
      given.insert(parameter.name)
      check(parameter.value, for: declaration, types)
    }
    for parameter in pipeline.parameters where parameter.defaultValue == nil && !given.contains(parameter.name) {
      guard !meant.contains(parameter.name) else { continue }
      reader.error(
        .missingParam, "the pipeline '\(pipeline.name)' needs the param '\(parameter.name)', \(parameter.type.noun)",
        at: call.node.range, fix: "add 'params: {\(parameter.name): …}'")
    }
  }

  private func check(_ value: PlacedData, for parameter: PipelineDefinition.Parameter, _ types: [ValueType]) {
    if case .literal(let literal) = value.data {
      if let problem = ParameterRule.problem(with: literal, for: parameter) {
        reader.error(.typeMismatch, "the param '\(parameter.name)' \(problem)", at: value.node.range)
      }
      return
    }
    let found = TypeInference.type(of: value, siteTypes: types)
    if case .no(let reason) = accepts(parameter.type, found, literally: value) {
      reader.error(
        .typeMismatch,
        "the param '\(parameter.name)' is \(parameter.type), found \(Self.shown(found))\(Self.detail(reason))",
        at: value.node.range)
    }
  }
}
