/// Why the host did not give a secret or a stored value.
public enum PluginAccessProblem: PluginProblemConvertible, Hashable, CustomStringConvertible {
  /// The pipeline file does not list the secret for this plugin.
  case denied
  /// There is no such secret or key.
  case unknown
  /// The host lacks what was asked for; the text says what.
  case unavailable(String)
  /// The host did not accept what it was given, such as a key that is too long.
  case refused

  /// What happened, in a few words.
  public var description: String {
    switch self {
    case .denied: "the pipeline file does not give it to this plugin; list it under the plugin's 'secrets'"
    case .unknown: "there is none of that name"
    case .unavailable(let what): what
    case .refused: "the host refused the name or the value"
    }
  }

  /// The same with a code: `access-denied`, `access-unknown`, `access-unavailable` or `access-refused`.
  public var pluginProblem: PluginProblem {
    let code =
      switch self {
      case .denied: "access-denied"
      case .unknown: "access-unknown"
      case .unavailable: "access-unavailable"
      case .refused: "access-refused"
      }
    return PluginProblem(code, description)
  }
}
