import Expressions

extension OperationDefinition {
  /// Files that are kept with an attempt that succeeded.
  public struct Artifact: Sendable {
    /// What `artifacts.operation.name` and `penstock artifacts` call it.
    public var name: String
    /// Where it is, from the directory in which the process starts: a path, or a pattern of paths.
    public var path: Template
    /// Whether the text of ``path`` has wildcards in it, so that any number of files may match. What expressions yield stands for itself.
    public var isPattern: Bool
  }
}

/// What the text of a path under `artifacts` says.
package enum ArtifactPath {
  /// The characters that make a path a pattern.
  private static let wildcards: Set<Character> = ["*", "?", "["]

  /// Whether text that an author wrote is a pattern.
  static func isPattern(_ text: String) -> Bool {
    text.split(separator: "/").contains { step in
      if step.contains(where: { $0 == "*" || $0 == "?" }) { return true }
      // One that is not closed stands for itself.
      return step.firstIndex(of: "[").map { step[$0...].contains("]") } ?? false
    }
  }

  /// Text that stands for itself in a pattern.
  package static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if wildcards.contains(character) || character == "\\" || character == "]" { result.append("\\") }
      result.append(character)
    }
  }

  /// Why a path, or a pattern, is not one below the directory in which the process starts; nil where it is.
  package static func problem(with path: String) -> String? {
    if path.isEmpty { return "is empty" }
    if path.utf8.contains(0) { return "contains a NUL character" }
    if path.hasPrefix("/") { return "is absolute" }
    let steps = steps(of: path)
    if steps.contains("..") { return "leads out of the directory with '..'" }
    return steps.isEmpty ? "is the directory itself" : nil
  }

  /// The names on the way, without those that lead nowhere.
  package static func steps(of path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.map(String.init)
  }
}
