import Expressions
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values

/// The contexts that the expressions of one operation see.
struct RunContexts: ExpressionContexts {
  let run: RunProgress
  /// The operation (or item) whose expression it is; nil for the pipeline's own `env`.
  var ordinal: Int?
  /// The environment variables of the operation itself that are already known.
  var environment: [(name: String, value: String)] = []
  /// An item of the operation's loop that has no instance yet.
  var loopItem: JSONValue?
  /// What was read for this evaluation only; nil to use what was read for the operation.
  var ownReadings: FileReadings?

  private var readings: FileReadings? { ownReadings ?? ordinal.flatMap { run.files.readings[$0] } }

  var status: ExpressionStatus {
    guard let ordinal, run.instances[ordinal].node.event == nil else { return run.status }
    return run.status(for: ordinal)
  }

  func member(_ name: String, of context: String) throws(ExpressionError) -> JSONValue? {
    // The names of the built-in contexts are passed in lower case.
    switch context {
    case "results":
      guard let position = position(of: name) else { return nil }
      return try result(of: position)
    case "errors":
      guard let position = position(of: name) else { return nil }
      return error(of: position)
    case "operations":
      guard let position = position(of: name) else { return nil }
      return summary(of: position)
    case "artifacts":
      guard let position = position(of: name) else { return nil }
      return artifacts(of: position)
    case "params":
      return lookup(name, in: run.given.parameters)
    case "secrets":
      return lookup(name, in: run.given.secrets).map { .string($0) }
    case "env":
      let known = environment.last { $0.name == name } ?? run.given.environment.last { $0.name == name }
      return known.map { .string($0.value) }
    case "run":
      return runMember(name)
    case "previous":
      guard case .object(let members) = try previous() else { return nil }
      return lookup(name, in: members)
    default:
      guard let item = item(named: context) else { return nil }
      if case .object(let members) = item { return lookup(name, in: members) }
      return nil
    }
  }

  func whole(_ context: String) throws(ExpressionError) -> JSONValue? {
    switch context.lowercased() {
    case "results":
      var members: OrderedDictionary<String, JSONValue> = [:]
      for index in run.pipeline.operations.indices {
        let position = seen(index)
        guard run.instances[position].result.isPresent else { continue }
        members[run.instances[index].name] = try result(of: position)
      }
      // A handler that is repeated also sees its own result.
      if let ordinal, run.instances[ordinal].node.event != nil, run.instances[ordinal].result.isPresent {
        members[run.instances[ordinal].node.definition.name] = try result(of: ordinal)
      }
      return .object(members)
    case "errors":
      return object { run.instances[$0].failure == nil ? nil : error(of: $0) }
    case "operations":
      return object { summary(of: $0) }
    case "artifacts":
      return object { run.instances[$0].node.definition.artifacts.isEmpty ? nil : artifacts(of: $0) }
    case "params":
      var members: OrderedDictionary<String, JSONValue> = [:]
      for parameter in run.pipeline.parameters {
        members[parameter.name] = run.given.parameters[parameter.name] ?? .null
      }
      return .object(members)
    case "secrets":
      var members: OrderedDictionary<String, JSONValue> = [:]
      for secret in run.pipeline.secrets { members[secret.name] = .string(run.given.secrets[secret.name] ?? "") }
      return .object(members)
    case "env":
      var members: OrderedDictionary<String, JSONValue> = [:]
      for (name, value) in run.given.environment + environment { members[name] = .string(value) }
      return .object(members)
    case "run":
      var members: OrderedDictionary<String, JSONValue> = [:]
      for name in ["id", "pipeline", "started_at", "at", "attempt", "workspace", "directory", "event", "folder"] {
        members[name] = runMember(name)
      }
      return .object(members)
    case "previous":
      return try previous()
    default:
      return item(named: context)
    }
  }

  func hashFiles(_ patterns: [String]) throws(ExpressionError) -> String {
    try (readings?.hashes[patterns] ?? FileReadings.hash(patterns, in: run.pipeline.source.directory)).get()
  }

  func evaluated(_ template: Template) -> Result<JSONValue, ExpressionError>? {
    // A template with an item that has no instance yet was not evaluated beforehand.
    hasReadings && loopItem == nil ? readings?.values[template] : nil
  }

  /// Whether an expression is truthy. Uses the value evaluated beforehand, if any.
  func isTruthy(_ expression: Expression) throws(ExpressionError) -> Bool {
    guard hasReadings else { return try expression.isTruthy(in: self) }
    return try Template(expression: expression).evaluate(in: self).isTruthy
  }

  private var hasReadings: Bool { !run.files.readings.isEmpty || ownReadings != nil }

  // MARK: Evaluation off the event loop

  /// Returns where a member of a context is found, without reading files.
  func place(of name: String, in context: String) -> FrozenContexts.Place {
    if context == "results", let position = position(of: name), case .file = run.instances[position].result {
      return .result(position)
    }
    if context == "previous", hasPreviousFile { return .previous(member: name) }
    return .known(Result { () throws(ExpressionError) in try member(name, of: context) })
  }

  /// Returns where a whole context is found, or nil if it consists of results, any of which may be in a file.
  func place(ofWhole context: String) -> FrozenContexts.Place? {
    if context == "results" { return nil }
    if context == "previous", hasPreviousFile { return .previous(member: nil) }
    return .known(Result { () throws(ExpressionError) in try whole(context) })
  }

  private var hasPreviousFile: Bool {
    if let ordinal, case .file? = run.previous[ordinal] { true } else { false }
  }

  // MARK: Names

  /// Returns the operation called `name`, or the handler that the expression belongs to.
  private func position(of name: String) -> Int? {
    if let position = run.position(of: name) { return seen(position) }
    guard let ordinal, OperationName.areSame(run.instances[ordinal].node.definition.name, name) else { return nil }
    return ordinal
  }

  /// Returns the instance that an operation's name refers to: in an expression of an item, its loop's name refers to the item.
  private func seen(_ position: Int) -> Int {
    guard let ordinal, run.instances[ordinal].parent == position else { return position }
    return ordinal
  }

  private func item(named context: String) -> JSONValue? {
    guard let ordinal else { return nil }
    let instance = run.instances[ordinal]
    guard let loop = instance.node.definition.loop, loop.itemName.lowercased() == context.lowercased() else {
      return nil
    }
    return loopItem ?? instance.item
  }

  private func result(of position: Int) throws(ExpressionError) -> JSONValue {
    switch run.instances[position].result {
    case .none: return .null
    case .value(let value): return value
    case .file(let file):
      return try (readings?.results[position] ?? FileReadings.load(file)).get()
    }
  }

  /// Returns the result of the previous round, or null in the first one.
  private func previous() throws(ExpressionError) -> JSONValue {
    guard let ordinal else { return .null }
    switch run.previous[ordinal] {
    case OperationResult.none?, nil: return .null
    case .value(let value)?: return value
    case .file(let file)?: return try (readings?.previous ?? FileReadings.load(file)).get()
    }
  }

  private func error(of position: Int) -> JSONValue {
    let instance = run.instances[position]
    return instance.failure?.jsonValue(attempts: instance.attempts) ?? .null
  }

  private func summary(of position: Int) -> JSONValue {
    let instance = run.instances[position]
    var members: OrderedDictionary<String, JSONValue> = [
      "state": .string(instance.state.rawValue), "attempts": .int(Int64(instance.attempts)),
    ]
    if let started = instance.timing.startedAt { members["started_at"] = .string(started.text) }
    if let ended = instance.timing.endedAt { members["ended_at"] = .string(ended.text) }
    if let started = instance.timing.startedAt, let ended = instance.timing.endedAt {
      members["duration"] = .string(
        DurationNotation.format(.milliseconds((ended.microseconds - started.microseconds) / 1000)))
    }
    return .object(members)
  }

  /// Returns the artifacts of an operation by name, or those of each item of a loop; null if it has not succeeded.
  private func artifacts(of position: Int) -> JSONValue {
    let instance = run.instances[position]
    guard instance.state == .succeeded || instance.state == .reused else { return .null }
    return KeptArtifact.value(
      of: instance.artifacts, isLoop: instance.node.definition.loop != nil && instance.parent == nil,
      in: run.given.workspace)
  }

  private func runMember(_ name: String) -> JSONValue? {
    switch name.lowercased() {
    case "id": .string(run.id.text)
    case "pipeline": .string(run.pipeline.name)
    case "started_at": .string(run.times.startedAt.text)
    case "at": .string(run.instant.text)
    case "attempt": .int(Int64(run.hostAttempt))
    case "workspace": .string(run.given.workspace)
    case "directory": .string(run.pipeline.source.directory)
    case "event": run.given.event
    case "folder": .string(RunFolder.path(of: run.id, in: run.given.workspace))
    default: nil
    }
  }

  private func lookup(_ name: String, in members: OrderedDictionary<String, JSONValue>) -> JSONValue? {
    members[name] ?? members.first { $0.key.lowercased() == name.lowercased() }?.value
  }

  private func lookup<Value>(_ name: String, in members: [String: Value]) -> Value? {
    members[name] ?? members.first { $0.key.lowercased() == name.lowercased() }?.value
  }

  private func object(_ value: (Int) -> JSONValue?) -> JSONValue {
    var members: OrderedDictionary<String, JSONValue> = [:]
    for index in run.pipeline.operations.indices {
      if let value = value(seen(index)) { members[run.instances[index].name] = value }
    }
    return .object(members)
  }
}
