/// Why the host did not return a secret or a stored value.
public enum PluginAccessProblem: PluginProblemConvertible, Hashable, CustomStringConvertible {
  /// The pipeline file does not list the secret for this plugin.
  case denied
  /// There is no such secret or key.
  case unknown
  /// The host lacks what was requested; the text names it.
  case unavailable(String)
  /// The host rejected the request, for example because a key is too long.
  case refused

  /// What happened, in a few words.
  public var description: String {
    switch self {
    case .denied: "this plugin has no access to it; list it under the plugin's 'secrets' in the pipeline file"
    case .unknown: "there is nothing of that name"
    case .unavailable(let what): what
    case .refused: "the host rejected the name or the value"
    }
  }

  /// The problem with its code: `access-denied`, `access-unknown`, `access-unavailable` or `access-refused`.
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
