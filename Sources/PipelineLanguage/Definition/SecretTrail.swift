import Expressions

/// A place in a definition where secrets are not allowed, with the references of its expressions to `params`, `env` and the item of a loop.
struct ShownPlace: Sendable {
  let use: ExpressionSite.Use
  let references: [ExpressionReference]

  /// Returns nil if the place shows nothing, or nothing that can be passed to a pipeline.
  init?(_ use: ExpressionSite.Use, isForPlugin: Bool, _ references: [ExpressionReference]) {
    guard use.visibility(toPlugin: isForPlugin) != .hidden else { return nil }
    let handed = references.filter {
      switch $0.context {
      case "results", "errors", "operations", "artifacts", "secrets", "run": false
      default: true
      }
    }
    guard !handed.isEmpty else { return nil }
    self.use = use
    self.references = handed
  }
}

/// Follows a secret that is passed as a param to a nested pipeline: through `env`, `inject`, the item of a loop, and the params of further pipelines.
struct SecretTrail {
  /// A place where the secret would be visible.
  struct Exposure {
    let use: ExpressionSite.Use
    /// The operation, as a path such as `deploy/login`; nil for a key of the pipeline itself.
    var operation: String?

    /// The order of severity: argument lists first, because every user can see them, and loops last, because their items lead to other places.
    fileprivate var rank: Int {
      switch use {
      case .action(let place) where place.visibility == .arguments: 0
      case .exclusive: 1
      case .loop: 3
      default: 2
      }
    }
  }

  /// The first exposure of each rank.
  private var found: [Int: Exposure] = [:]
  /// The pipelines already followed, with their secret params, because the same file may be run from many places.
  private var seen: Set<[String]> = []

  /// Returns where the param `name` is exposed, the worst first and one of each rank; a loop only if there is nothing else.
  static func find(in pipeline: PipelineDefinition, from name: String) -> [Exposure] {
    var trail = SecretTrail()
    trail.follow([name.lowercased()], into: pipeline, by: "")
    let exposures = trail.found.values.sorted { $0.rank < $1.rank }
    return exposures.count > 1 ? exposures.filter { $0.use != .loop } : exposures
  }

  private init() {}

  private mutating func note(_ exposure: Exposure) {
    if found[exposure.rank] == nil { found[exposure.rank] = exposure }
  }

  /// Follows `parameters` into a pipeline. `path` names the operations that lead to it, each followed by a slash.
  private mutating func follow(_ parameters: Set<String>, into pipeline: PipelineDefinition, by path: String) {
    guard seen.insert([pipeline.source.absolutePath, pipeline.source.hash] + parameters.sorted()).inserted else {
      return
    }
    var shared = Carriers(parameters: parameters)
    for (name, value) in pipeline.environment { shared.note(name, value) }
    for place in pipeline.shownPlaces where shared.reach(place.references) {
      note(Exposure(use: place.use, operation: path.isEmpty ? nil : String(path.dropLast())))
    }
    for operation in pipeline.operations + pipeline.handlers.map(\.operation) {
      follow(shared, into: operation, of: pipeline, by: path)
    }
  }

  private mutating func follow(
    _ shared: Carriers, into operation: OperationDefinition, of pipeline: PipelineDefinition, by path: String
  ) {
    // Keys outside the process only see the pipeline's variables.
    var outer = shared
    outer.noteItem(of: operation.loop)
    var own = outer
    if !operation.shownPlaces.isEmpty {
      for (name, value) in operation.environment { own.note(name, value) }
      if case .named(let members) = operation.injection { for (name, value) in members { own.note(name, value) } }
    }
    for place in operation.shownPlaces where (place.use.seesOwnVariables ? own : outer).reach(place.references) {
      note(Exposure(use: place.use, operation: path + operation.name))
    }
    guard case .pipeline(let file, let given) = operation.action, let nested = pipeline.nested[file] else { return }
    let secret = given.filter { outer.reach($0.value.references) }.map { $0.name.lowercased() }
    if !secret.isEmpty { follow(Set(secret), into: nested, by: "\(path)\(operation.name)/") }
  }
}

/// The values that contain the secret at a place. Names are in lower case, because expressions look up members case-insensitively.
private struct Carriers {
  let parameters: Set<String>
  private var variables: Set<String> = []
  /// The context of the item, with the members that contain the secret; nil members means all of it.
  private var item: (context: String, members: Set<String>?)?

  init(parameters: Set<String>) { self.parameters = parameters }

  /// Returns whether any of the references yields the secret.
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

  /// Records that a variable has this value from here on.
  mutating func note(_ name: String, _ value: Template) {
    if reach(value.references) { variables.insert(name.lowercased()) } else { variables.remove(name.lowercased()) }
  }

  mutating func noteItem(of loop: OperationDefinition.Loop?) {
    guard let loop else { return }
    switch loop.source {
    case .list(let data):
      if reach(data.references) { item = (loop.itemName.lowercased(), nil) }
    case .matrix(let matrix):
      // `include` may add any member.
      if let include = matrix.include, reach(include.references) {
        item = (loop.itemName.lowercased(), nil)
        return
      }
      let secret = matrix.lists.filter { reach($0.values.references) }.map { $0.name.lowercased() }
      if !secret.isEmpty { item = (loop.itemName.lowercased(), Set(secret)) }
    }
  }
}
