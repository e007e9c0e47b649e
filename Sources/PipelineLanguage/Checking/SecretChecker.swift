import Expressions

extension PipelineChecker {
  /// Finds the variables in the pipeline's `env` that contain a secret, so that `env.x` is protected like the secret itself.
  func findSecretVariables() {
    hasSecretEnvironment = draft.sites.contains { site in
      site.use == .pipelineEnvironment && site.references.contains { $0.context == "secrets" }
    }
    for variable in draft.definition.environment
    where variable.value.references.contains(where: { $0.context == "secrets" }) {
      secretVariables.insert(variable.name.lowercased())
    }
  }

  /// Reports a secret where it would be visible. Returns whether the site refers to a secret at all.
  @discardableResult
  func checkSecrets(
    in site: ExpressionSite, _ references: [ExpressionReference], of operation: OperationDraft?
  ) -> Bool {
    let isForPlugin = operation?.takesRequirementAsData == true
    // An outer pipeline may pass a secret to this one: see ``SecretTrail``.
    if let place = ShownPlace(site.use, isForPlugin: isForPlugin, references) {
      if let operation {
        operation.definition.shownPlaces.append(place)
      } else {
        draft.definition.shownPlaces.append(place)
      }
    }
    var namesSecret = false
    for reference in references where isSecret(reference, in: site.use, of: operation) {
      namesSecret = true
      let visibility = site.use.visibility(toPlugin: isForPlugin)
      guard visibility != .hidden else { continue }
      let range = reader.range(in: site.node, offset: reference.position - 1, length: reference.length)
      switch visibility {
      case .plugin:
        reader.error(
          .secretExposed, "a secret cannot be passed to a plugin; a plugin asks for it by its name", at: range,
          fix: "list it under 'secrets' of the plugin, under 'plugins'")
      case .arguments:
        reader.error(
          .secretInArguments,
          "a secret cannot be an argument: every user of the computer can see argument lists", at: range,
          fix: "pass it through 'env'")
      case .shown, .hidden:
        reader.error(
          .secretExposed, "a secret cannot be used in '\(site.use.key)', whose value is recorded or shown", at: range,
          fix: "secrets are allowed in 'env', 'inject', 'stdin', 'params' and what 'http' sends")
      }
    }
    if namesSecret, site.use == .nestedParameter, let path = operation?.nestedCall?.path {
      nestedWithSecrets.insert(path)
    }
    return namesSecret
  }

  /// Returns whether a reference yields a secret, directly or through an environment variable.
  private func isSecret(
    _ reference: ExpressionReference, in use: ExpressionSite.Use, of operation: OperationDraft?
  ) -> Bool {
    switch reference.context {
    case "secrets": return true
    case "env":
      var variables = secretVariables
      if use.seesOwnVariables, let operation { variables = secretVariables(of: operation) }
      guard !variables.isEmpty else { return false }
      // Expressions look up members case-insensitively.
      return reference.path.first.map { variables.contains($0.lowercased()) } ?? true
    default: return false
    }
  }

  /// Returns the names, in lower case, of the variables that contain a secret after the operation's own are added to the pipeline's.
  private func secretVariables(of operation: OperationDraft) -> Set<String> {
    var variables = secretVariables
    var own = operation.definition.environment
    if case .named(let injected) = operation.definition.injection { own += injected }
    for (name, value) in own {
      let holdsSecret = value.references.contains { reference in
        switch reference.context {
        case "secrets": true
        case "env": reference.path.first.map { variables.contains($0.lowercased()) } ?? !variables.isEmpty
        default: false
        }
      }
      if holdsSecret { variables.insert(name.lowercased()) } else { variables.remove(name.lowercased()) }
    }
    return variables
  }

  /// Reports a secret that is passed to a nested pipeline and would be visible there.
  func checkNestedSecrets() {
    forEachDraft { operation in
      guard let call = operation.nestedCall, nestedWithSecrets.contains(call.path),
        let pipeline = nested[call.path] ?? nil
      else { return }
      for parameter in call.parameters {
        let sites = operation.sites.lazy.filter { $0.use == .nestedParameter }
        guard
          sites.contains(where: { site in
            Self.isWithin(site.node.range, parameter.value.node.range)
              && site.references.contains { self.isSecret($0, in: site.use, of: operation) }
          })
        else { continue }
        for exposure in SecretTrail.find(in: pipeline, from: parameter.name) {
          report(exposure, of: parameter.name, in: pipeline, at: parameter.value.node.range)
        }
      }
    }
  }

  private func report(
    _ exposure: SecretTrail.Exposure, of parameter: String, in pipeline: PipelineDefinition, at range: SourceRange
  ) {
    let place = "'\(exposure.operation ?? pipeline.name)' in the nested pipeline"
    var code = DiagnosticCode.secretExposed
    var fix = "let the nested pipeline declare the secret itself"
    let what: String
    switch (exposure.use, exposure.use.visibility(toPlugin: true)) {
    case (_, .arguments):
      code = .secretInArguments
      what = "becomes an argument of \(place), where every user of the computer can see it"
    case (.exclusive, _):
      what = "becomes part of the exclusive name of \(place), and names are shown"
      fix = "name what is exclusive without the secret"
    case (_, .plugin):
      what = "is passed to a plugin by \(place); a plugin asks for a secret by its name"
      fix = "declare the secret in the nested pipeline, and list it under 'secrets' of the plugin, under 'plugins'"
    default: what = "is used in '\(exposure.use.key)' of \(place), whose value is recorded or shown"
    }
    reader.error(code, "the param '\(parameter)' \(what)", at: range, fix: fix)
  }

  private static func isWithin(_ inner: SourceRange, _ outer: SourceRange) -> Bool {
    outer.origin == inner.origin && outer.start <= inner.start && inner.end <= outer.end
  }
}

/// Marks nested pipelines that receive a secret.
enum SecretMarking {
  /// Returns the pipeline with every operation marked as reachable by a secret.
  static func marked(_ pipeline: PipelineDefinition) -> PipelineDefinition {
    var pipeline = pipeline
    for index in pipeline.operations.indices { pipeline.operations[index].receivesSecret = true }
    for index in pipeline.handlers.indices { pipeline.handlers[index].operation.receivesSecret = true }
    for (path, inner) in pipeline.nested { pipeline.nested[path] = marked(inner) }
    return pipeline
  }
}
