import Expressions

/// The keys that say what an operation does, which has exactly one of them: the kinds of actions, in the order of the documentation.
///
/// A new kind begins with a word here and a case below. The compiler then asks for it in `ActionList`, and there for all that it has to answer.
package enum ActionKey: String, CaseIterable, Sendable {
  case run, command, http, notify, uses, value, wait, pipeline, approve
}

extension OperationDefinition {
  /// What the operation does: exactly one of these.
  public enum Action: Sendable {
    /// A script for the shell. Never holds `${{ }}`.
    case run(script: String)
    /// An argument list, run without a shell; each template yields exactly one argument.
    case command([Template])
    /// An HTTP request. Indirect, because it is some ten times as large as any of the others.
    indirect case http(HTTPAction)
    /// An operation of a plugin.
    case uses(PluginUse)
    /// An expression, or data with expressions in it; no process.
    case value(DataTemplate)
    /// Lets time pass.
    case wait(Wait)
    /// A nested pipeline, by the path written in the file.
    case pipeline(path: String, parameters: [(name: String, value: DataTemplate)])
    /// A person decides.
    case approve(message: Template?)
  }

  /// What `wait:` waits for.
  public enum Wait: Sendable {
    /// A length of time, as a duration or an expression that yields one.
    case duration(Template)
    /// An instant (RFC 3339), as text or an expression that yields one.
    case until(Template)
    /// A specification that is to turn true.
    case specification(SpecificationFormula)
  }
}

extension OperationDefinition.Action {
  /// What stands where nothing, or nothing that could be read, says what is done.
  static var nothing: Self { .value(.literal(.null)) }
}
