import Expressions

extension OperationDefinition {
  /// Files that are kept with a successful attempt.
  public struct Artifact: Sendable {
    /// The name in `artifacts.operation.name` and `penstock artifacts`.
    public var name: String
    /// A path or a pattern of paths, relative to the process's working directory.
    public var path: Template
    /// Whether the text of ``path`` contains wildcards, so that any number of files may match. Values of expressions are taken literally.
    public var isPattern: Bool
  }
}

/// Parses the paths under `artifacts`.
package enum ArtifactPath {
  /// The characters that make a path a pattern.
  private static let wildcards: Set<Character> = ["*", "?", "["]

  /// Returns whether text that an author wrote is a pattern.
  static func isPattern(_ text: String) -> Bool {
    text.split(separator: "/").contains { step in
      if step.contains(where: { $0 == "*" || $0 == "?" }) { return true }
      // An unclosed bracket is literal.
      return step.firstIndex(of: "[").map { step[$0...].contains("]") } ?? false
    }
  }

  /// Escapes text so that it is literal in a pattern.
  package static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if wildcards.contains(character) || character == "\\" || character == "]" { result.append("\\") }
      result.append(character)
    }
  }

  /// Returns the reason that a path or pattern does not lie below the process's working directory; nil if it does.
  package static func problem(with path: String) -> String? {
    if path.isEmpty { return "is empty" }
    if path.utf8.contains(0) { return "contains a NUL character" }
    if path.hasPrefix("/") { return "is absolute" }
    let steps = steps(of: path)
    if steps.contains("..") { return "leads out of the directory with '..'" }
    return steps.isEmpty ? "is the directory itself" : nil
  }

  /// Returns the path's components, without empty ones and `.`.
  package static func steps(of path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.map(String.init)
  }
}
