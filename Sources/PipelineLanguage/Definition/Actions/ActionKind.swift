/// One kind of action, as the file has it. Each kind is one file here, and one with how it runs, ``RunnableAction``.
///
/// What is asked of every action is asked here, so that a new kind that forgets some of it does not compile. Everything that looks at what an action is made of
/// goes by ``forEachTemplate(_:)``: fingerprints, defaults for missing results, what a person is told of its inputs.
package protocol ActionKind: Sendable {
  /// The key of the file that names it: `run`, `command` ….
  var keyword: String { get }
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
  /// What it results in where nothing but expressions decides that, so that it can be told before a run; nil for all but one kind.
  var computedValue: DataTemplate? { get }
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
  package var specification: SpecificationFormula? { nil }
  package var nestedPath: String? { nil }
  package var computedValue: DataTemplate? { nil }

  /// Whether there is no expression in it.
  package var isLiteral: Bool {
    var isLiteral = true
    forEachTemplate { _, template in if !template.isLiteral { isLiteral = false } }
    return isLiteral
  }
}

extension OperationDefinition.Action {
  /// The action as its kind: the list of all kinds.
  package var kind: any ActionKind {
    switch self {
    case .run(let script): ScriptAction(script: script)
    case .command(let arguments): CommandAction(arguments: arguments)
    case .http(let action): action
    case .uses(let use): use
    case .value(let data): ValueAction(data: data)
    case .wait(let wait): wait
    case .pipeline(let path, let parameters): NestedPipelineAction(path: path, parameters: parameters)
    case .approve(let message): ApprovalAction(message: message)
    }
  }

  /// Whether it does work, which counts against `concurrency`.
  public var isWork: Bool { kind.isWork }
}

extension OperationDefinition {
  /// The key of the action in the file: `run`, `command` ….
  package var actionKind: String { action.kind.keyword }

  /// What the action does, on one line: the first line of a script, the arguments as a shell would read them.
  package var actionSummary: String { action.kind.summary }
}
