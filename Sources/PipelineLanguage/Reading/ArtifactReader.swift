import Expressions
import Values

extension DocumentReader {
  /// The maximum number of artifacts of one operation.
  static let mostArtifacts = 100

  /// Reads `artifacts`: names with paths.
  func readArtifacts(_ node: YAMLNode, into draft: OperationDraft) {
    guard let entries = node.entries else {
      return wrongForm(
        node, "'artifacts'", needs: "a mapping of names to paths",
        fix: node.text.map { "name it, as in '{ report: \($0) }'" })
    }
    if entries.count > Self.mostArtifacts {
      error(
        .outOfRange, "an operation keeps at most \(Self.mostArtifacts) artifacts",
        at: entries[Self.mostArtifacts].key.range,
        fix: "name several files by one pattern, or a directory")
    }
    for entry in entries {
      let isAllowed = checkName(entry.name, .member, "an artifact's name", at: entry.key.range)
      guard let path = template(entry.value, "the artifact '\(entry.name)'", .artifacts, into: &draft.sites) else {
        continue
      }
      let texts = path.segments.compactMap { if case .literal(let text) = $0 { text } else { nil } }
      let problem =
        path.isLiteral ? ArtifactPath.problem(with: path.text) : texts.lazy.compactMap(Self.problem).first
      if let problem {
        error(
          .invalidArtifact, "the path of the artifact '\(entry.name)' \(problem)", at: entry.value.range,
          fix: "write a path below the directory in which the process starts")
      }
      guard isAllowed else { continue }
      draft.definition.artifacts.append(
        OperationDefinition.Artifact(
          name: entry.name, path: path, isPattern: texts.contains(where: ArtifactPath.isPattern)))
    }
  }

  /// Returns an error that a part of a path causes by itself; otherwise nil.
  private static func problem(withPart text: String) -> String? {
    text.hasPrefix("../") || text.contains("/../") ? "leads out of the directory with '..'" : nil
  }
}

extension OperationDraft {
  /// Whether `artifacts` may name the operation.
  var keepsArtifacts: Bool { !definition.artifacts.isEmpty }

  /// The type of `artifacts.name`; nil if the operation keeps no artifacts.
  var artifactType: ValueType? {
    guard keepsArtifacts else { return nil }
    let fields = definition.artifacts.map { ValueType.Field(name: $0.name, type: $0.isPattern ? .list(.file) : .file) }
    return definition.loop == nil ? .object(fields) : .list(.object(fields))
  }
}
