import Values

/// One kind of action, as the file has it. Each kind is one file in `Actions/`, where it also says how it is read and checked (``ReadableAction``,
/// ``CheckableAction``), and one in the engine with how it runs, ``RunnableAction``.
///
/// What is asked of every action is asked here, so that a new kind that forgets some of it does not compile. Everything that looks at what an action is made of
/// goes by ``forEachTemplate(_:)``: fingerprints, defaults for missing results, what a person is told of its inputs.
package protocol ActionKind: Sendable {
  /// The key of the file that names it.
  var key: ActionKey { get }
  /// What it does, on one line.
  var summary: String { get }
  /// Whether it does work: it counts against `concurrency`, takes a while and may write a log. The others compute something at once, or only wait.
  var isWork: Bool { get }
  /// How a secret can reach it, so that what it prints and returns must be masked.
  var secretReach: SecretReach { get }
  /// The specification that it waits for; nil for all but one kind.
  var specification: SpecificationFormula? { get }
  /// The path, as written in the file, of the pipeline that it runs; nil for all but one kind.
  var nestedPath: String? { get }
  /// The id of the plugin whose code it runs; nil for all but one kind.
  var usedPlugin: String? { get }
  /// What it results in where nothing but expressions decides that, so that it can be told before a run; nil for all but one kind.
  var computedValue: DataTemplate? { get }
  /// The type of the result of one run of it where the file declares `declared`, for whoever runs the pipeline. `nested` has the type of what a pipeline, by the
  /// path written in the file, results in.
  func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType
  /// Everything in it that may have an expression, in the order of the file, with how each arrives.
  func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows
}

/// How a secret can reach an action.
package enum SecretReach: Sendable, Hashable {
  /// Nowhere: it is given nothing but values that are shown anyway, or has operations of its own that are looked at.
  case nowhere
  /// In its own expressions.
  case expressions
  /// In its expressions, and in the environment that it inherits.
  case environment
  /// By the names that the pipeline lists for the plugin with this id.
  case plugin(String)
}

extension ActionKind {
  /// The key of the file that names it: `run`, `command` ….
  package var keyword: String { key.rawValue }
  package var specification: SpecificationFormula? { nil }
  package var nestedPath: String? { nil }
  package var usedPlugin: String? { nil }
  package var computedValue: DataTemplate? { nil }

  /// Whether there is no expression in it.
  package var isLiteral: Bool {
    var isLiteral = true
    forEachTemplate { _, template in if !template.isLiteral { isLiteral = false } }
    return isLiteral
  }
}

extension OperationDefinition.Action {
  /// Whether it does work, which counts against `concurrency`.
  public var isWork: Bool { kind.isWork }
}

extension OperationDefinition {
  /// The key of the action in the file: `run`, `command` ….
  package var actionKind: String { action.kind.keyword }

  /// What the action does, on one line: the first line of a script, the arguments as a shell would read them.
  package var actionSummary: String { action.kind.summary }
}
