import Expressions

/// The keys of an operation that name its action, of which exactly one is given; in the order of the documentation.
///
/// To add a kind, add a word here and a case below. The compiler then requires it in `ActionList`, and there everything that it must implement.
package enum ActionKey: String, CaseIterable, Sendable {
  case run, command, http, notify, uses, value, wait, pipeline, approve
}

extension OperationDefinition {
  /// The action of an operation.
  public enum Action: Sendable {
    /// A script for the shell. Never contains `${{ }}`.
    case run(script: String)
    /// An argument list, run without a shell; each template yields exactly one argument.
    case command([Template])
    /// An HTTP request. Indirect, because it is about ten times as large as the others.
    indirect case http(HTTPAction)
    /// An operation of a plugin.
    case uses(PluginUse)
    /// An expression, or data that contains expressions; no process.
    case value(DataTemplate)
    /// Waits for a duration, an instant or a specification.
    case wait(Wait)
    /// A nested pipeline, by the path written in the file.
    case pipeline(path: String, parameters: [(name: String, value: DataTemplate)])
    /// A person decides.
    case approve(message: Template?)
  }

  /// The target of `wait`.
  public enum Wait: Sendable {
    /// A duration, or an expression that yields one.
    case duration(Template)
    /// An instant (RFC 3339), as text or an expression that yields one.
    case until(Template)
    /// A specification that must become true.
    case specification(SpecificationFormula)
  }
}

extension OperationDefinition.Action {
  /// The placeholder for a missing or unreadable action.
  static var nothing: Self { .value(.literal(.null)) }
}
