import Values

extension JSONValue {
  /// The value as a process receives it in an environment variable, an argument or standard input: strings unchanged, null as an empty string,
  /// everything else as JSON.
  var injectedText: String {
    switch self {
    case .string(let text): text
    case .null: ""
    default: text
    }
  }
}
