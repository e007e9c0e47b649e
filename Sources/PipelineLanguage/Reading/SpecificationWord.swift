/// The built-in specifications of the language.
enum SpecificationWord: String, CaseIterable, Sendable {
  case always, never, connected, foreground
  case olderThan = "older-than"
  case fileExists = "file-exists"
  case changed, succeeded

  /// The notation, with an example argument.
  var usage: String {
    switch self {
    case .always, .never, .connected, .foreground: rawValue
    case .olderThan: "older-than(1h)"
    case .fileExists: "file-exists(path)"
    case .changed: "changed(path)"
    case .succeeded: "succeeded(pipeline)"
    }
  }

  /// Whether it requires an argument.
  var takesArgument: Bool { usage.utf8.last == UInt8(ascii: ")") }

  /// The words of `retry.early` that bring a retry forward but are not specifications.
  static let earlyOnly = ["reachable", "peer-success"]

  /// The names that an author's specifications must not have.
  static let reserved = Set(allCases.map(\.rawValue) + earlyOnly + ["true", "false", "not", "and", "or"])
}
