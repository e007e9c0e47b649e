/// Where a secret goes that a nested pipeline is handed as a param: by way of `env`, `inject`, the item of a loop and the params of further pipelines.
struct SecretTrail {
  /// A place where the secret would be seen.
  enum Exposure {
    /// An argument of a process.
    case argument
    /// The name under `exclusive`.
    case exclusiveName
  }

  private let exposure: Exposure
  /// Pipelines that were followed, with the params that are secret in them: the same file may be run from many places.
  private var seen: Set<[String]> = []

  /// The operation where the param called `name` is exposed, as a path such as `deploy/login`; nil where there is none.
  static func find(_ exposure: Exposure, in pipeline: PipelineDefinition, from name: String) -> String? {
    var trail = SecretTrail(exposure: exposure)
    return trail.follow([name.lowercased()], into: pipeline)
  }

  private init(exposure: Exposure) { self.exposure = exposure }

  private mutating func follow(_ parameters: Set<String>, into pipeline: PipelineDefinition) -> String? {
    guard seen.insert([pipeline.source.absolutePath, pipeline.source.hash] + parameters.sorted()).inserted else {
      return nil
    }
    var shared = Carriers(parameters: parameters)
    for (name, value) in pipeline.environment { shared.note(name, value) }
    for operation in pipeline.operations + pipeline.handlers.map(\.operation) {
      if let found = follow(shared, into: operation, of: pipeline) { return found }
    }
    return nil
  }

  private mutating func follow(
    _ shared: Carriers, into operation: OperationDefinition, of pipeline: PipelineDefinition
  ) -> String? {
    // What stands outside the process sees the pipeline's variables alone.
    var outer = shared
    outer.noteItem(of: operation.loop)
    if exposure == .exclusiveName, let name = operation.exclusive, outer.reach(name.references) {
      return operation.name
    }
    switch operation.action {
    case .command(let arguments) where exposure == .argument:
      var own = outer
      for (name, value) in operation.environment { own.note(name, value) }
      if case .named(let members) = operation.injection { for (name, value) in members { own.note(name, value) } }
      return arguments.contains { own.reach($0.references) } ? operation.name : nil
    case .pipeline(let path, let given):
      let secret = given.filter { outer.reach($0.value.references) }.map { $0.name.lowercased() }
      guard !secret.isEmpty, let nested = pipeline.nested[path] else { return nil }
      return follow(Set(secret), into: nested).map { "\(operation.name)/\($0)" }
    default: return nil
    }
  }
}

/// What holds the secret where an expression stands. Names are in lower case: expressions find members without regard to case.
private struct Carriers {
  let parameters: Set<String>
  private var variables: Set<String> = []
  /// The context of the item, with the members that hold the secret; nil members for all of it.
  private var item: (context: String, members: Set<String>?)?

  init(parameters: Set<String>) { self.parameters = parameters }

  /// Whether any of the references yields the secret.
  func reach(_ references: [ExpressionReference]) -> Bool {
    references.contains { reference in
      let member = reference.path.first?.lowercased()
      if let item, reference.context.lowercased() == item.context {
        guard let members = item.members, let member else { return true }
        return members.contains(member)
      }
      switch reference.context {
      case "params": return member.map(parameters.contains) ?? true
      case "env": return member.map(variables.contains) ?? !variables.isEmpty
      default: return false
      }
    }
  }

  /// A variable of this name has this value from here on.
  mutating func note(_ name: String, _ value: Template) {
    if reach(value.references) { variables.insert(name.lowercased()) } else { variables.remove(name.lowercased()) }
  }

  mutating func noteItem(of loop: OperationDefinition.Loop?) {
    guard let loop else { return }
    switch loop.source {
    case .list(let data):
      if reach(data.references) { item = (loop.itemName.lowercased(), nil) }
    case .matrix(let axes):
      let secret = axes.filter { reach($0.values.references) }.map { $0.name.lowercased() }
      if !secret.isEmpty { item = (loop.itemName.lowercased(), Set(secret)) }
    }
  }
}
