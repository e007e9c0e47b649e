import PipelineLanguage
import RunHistory

extension RunRecord {
  /// The reason, if it adds something to the state: a run that was cancelled on request is `cancelled` for the reason `cancelled`.
  package var tellingReason: String? {
    if let preparation { return "it \(preparation.words)" }
    return reason == state.rawValue ? nil : reason
  }
}

extension RunPreparation {
  /// What the run is doing, in words that follow its name.
  var words: String {
    switch self {
    case .readsSecret(let name): "is reading its secret '\(TerminalText.visible(name))'"
    case .lacks(let why): "waits for system resources: \(TerminalText.oneLine(why))"
    }
  }

  /// What the run waits for.
  var awaited: String {
    switch self {
    case .readsSecret(let name): "its secret '\(TerminalText.visible(name))', which it is reading"
    case .lacks(let why): "a descriptor, a thread or memory: \(TerminalText.oneLine(why))"
    }
  }

  /// When the run begins.
  var outlook: String {
    switch self {
    case .readsSecret: "it begins once the secret has been read"
    case .lacks: "it is retried every second and begins by itself"
    }
  }
}
