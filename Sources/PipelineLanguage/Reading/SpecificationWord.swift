/// The specifications that the language itself has.
enum SpecificationWord: String, CaseIterable, Sendable {
  case always, never, connected, foreground
  case olderThan = "older-than"
  case fileExists = "file-exists"
  case changed, succeeded

  /// How it is written, with an example of its argument.
  var usage: String {
    switch self {
    case .always, .never, .connected, .foreground: rawValue
    case .olderThan: "older-than(1h)"
    case .fileExists: "file-exists(path)"
    case .changed: "changed(path)"
    case .succeeded: "succeeded(pipeline)"
    }
  }

  /// Whether it is nothing without an argument.
  var takesArgument: Bool { usage.utf8.last == UInt8(ascii: ")") }

  /// What brings a retry forward and is no specification: words of `retry.early`.
  static let earlyOnly = ["reachable", "peer-success"]

  /// Names that no specification of an author may have.
  static let reserved = Set(allCases.map(\.rawValue) + earlyOnly + ["true", "false", "not", "and", "or"])
}
