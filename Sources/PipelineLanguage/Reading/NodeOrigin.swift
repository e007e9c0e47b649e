/// The text that a node comes from, and its role. A pipeline that includes files consists of nodes from several texts.
struct NodeOrigin: Sendable {
  /// The text.
  let text: SourceText
  /// The other place that findings here involve.
  var note: Diagnostic.Note?
  /// Whether errors here have already been reported at the declaration.
  var isReported = false
  /// Whether the note only applies to findings that may be caused by the other place.
  var isOverride = false

  /// The errors of an override that do not depend on what it overrides.
  private static let ofItself: Set<String> = [
    DiagnosticCode.unknownKey.rawValue, DiagnosticCode.unknownWord.rawValue, DiagnosticCode.outOfRange.rawValue,
    DiagnosticCode.invalidDuration.rawValue, DiagnosticCode.invalidSize.rawValue,
    DiagnosticCode.invalidName.rawValue, DiagnosticCode.duplicateName.rawValue,
    DiagnosticCode.unknownOperation.rawValue, DiagnosticCode.unknownSpecification.rawValue,
    DiagnosticCode.unknownResource.rawValue, DiagnosticCode.invalidType.rawValue,
  ]

  /// Returns the note for a finding with a code.
  func note(for code: String) -> Diagnostic.Note? { isOverride && Self.ofItself.contains(code) ? nil : note }
}

extension YAMLNode {
  /// Returns the same node with new origins for all its parts.
  ///
  /// - Parameters:
  ///   - count: Increased by the number of nodes.
  ///   - origin: Returns the new origin for an old one.
  /// - Returns: The node.
  func moved(count: inout Int, to origin: (UInt32) -> UInt32) -> YAMLNode {
    count += 1
    let content: Content =
      switch self.content {
      case .scalar: self.content
      case .sequence(let items): .sequence(items.map { $0.moved(count: &count, to: origin) })
      case .mapping(let entries):
        .mapping(
          entries.map { entry in
            YAMLEntry(
              key: entry.key.moved(count: &count, to: origin), value: entry.value.moved(count: &count, to: origin))
          })
      }
    var range = range
    range.origin = origin(range.origin)
    return YAMLNode(content, range: range, coreTag: coreTag, isFaulty: isFaulty)
  }

  /// Returns the same mapping with other entries.
  func with(_ entries: [YAMLEntry]) -> YAMLNode {
    YAMLNode(.mapping(entries), range: range, coreTag: coreTag, isFaulty: isFaulty)
  }
}
