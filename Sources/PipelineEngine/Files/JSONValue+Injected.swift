import Values

extension JSONValue {
  /// The value as a process gets it in an environment variable, an argument or standard input: text as it is, nothing
  /// for null, the rest as JSON.
  var injectedText: String {
    switch self {
    case .string(let text): text
    case .null: ""
    default: text
    }
  }
}
