import Values

/// A kind of action, as the file describes it. Each kind is one file in `Actions/`, which also defines how it is read and checked (``ReadableAction``,
/// ``CheckableAction``), and one in the engine, which defines how it runs (``RunnableAction``).
///
/// The requirements cover everything that the program needs to know about an action, so that an incomplete new kind does not compile. Code that inspects the
/// contents of an action uses ``forEachTemplate(_:)``: fingerprints, defaults for missing results, and descriptions of its inputs.
package protocol ActionKind: Sendable {
  /// The key that names the kind in the file.
  var key: ActionKey { get }
  /// A one-line summary of what the action does.
  var summary: String { get }
  /// Whether it does work: it counts against `concurrency`, takes time and may write a log. Other kinds compute a value at once, or only wait.
  var isWork: Bool { get }
  /// How a secret can reach the action, so that its output and result must be masked.
  var secretReach: SecretReach { get }
  /// The specification it waits for; nil for all kinds but one.
  var specification: SpecificationFormula? { get }
  /// The path, as written in the file, of the pipeline that it runs; nil for all kinds but one.
  var nestedPath: String? { get }
  /// The id of the plugin whose code it runs; nil for all kinds but one.
  var usedPlugin: String? { get }
  /// The result, if it depends only on expressions, so that it can be predicted before a run; nil for all kinds but one.
  var computedValue: DataTemplate? { get }
  /// Returns the result type of one execution for users of the pipeline, if the file declares `declared`. `nested` returns the result type of a
  /// pipeline by the path written in the file.
  func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType
  /// Calls `body` for each part that may contain an expression, in file order, with how it arrives.
  func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows
}

/// How a secret can reach an action.
package enum SecretReach: Sendable, Hashable {
  /// It cannot: the action receives only values that are visible anyway, or has operations that are examined separately.
  case nowhere
  /// Through its expressions.
  case expressions
  /// Through its expressions, and through the environment that it inherits.
  case environment
  /// Through the names that the pipeline lists for the plugin with this id.
  case plugin(String)
}

extension ActionKind {
  /// The key that names the kind in the file, such as `run` or `command`.
  package var keyword: String { key.rawValue }
  package var specification: SpecificationFormula? { nil }
  package var nestedPath: String? { nil }
  package var usedPlugin: String? { nil }
  package var computedValue: DataTemplate? { nil }

  /// Whether the action contains no expressions.
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
  /// The key of the action in the file, such as `run` or `command`.
  package var actionKind: String { action.kind.keyword }

  /// A one-line summary of the action, such as the first line of a script or the arguments in shell notation.
  package var actionSummary: String { action.kind.summary }
}
