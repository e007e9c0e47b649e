/// Where a node is written, and what it is there for: a pipeline that includes files is read from nodes of several texts.
struct NodeOrigin: Sendable {
  /// The text.
  let text: SourceText
  /// The other place that a finding here concerns.
  var note: Diagnostic.Note?
  /// Whether what is wrong here has been reported where it is declared.
  var isReported = false
  /// Whether the note is for findings alone that may come from what is said at the other place.
  var isOverride = false

  /// What is wrong with an override whatever it overrides.
  private static let ofItself: Set<String> = [
    DiagnosticCode.unknownKey.rawValue, DiagnosticCode.unknownWord.rawValue, DiagnosticCode.outOfRange.rawValue,
    DiagnosticCode.invalidDuration.rawValue, DiagnosticCode.invalidSize.rawValue,
    DiagnosticCode.invalidName.rawValue, DiagnosticCode.duplicateName.rawValue,
    DiagnosticCode.unknownOperation.rawValue, DiagnosticCode.unknownSpecification.rawValue,
    DiagnosticCode.unknownResource.rawValue, DiagnosticCode.invalidType.rawValue,
  ]

  /// The note for a finding with a code.
  func note(for code: String) -> Diagnostic.Note? { isOverride && Self.ofItself.contains(code) ? nil : note }
}

extension YAMLNode {
  /// The same node with another origin for all that it is made of, each by its own.
  ///
  /// - Parameters:
  ///   - count: Grows by the number of nodes.
  ///   - origin: The new origin for an old one.
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

  /// The same mapping with other entries.
  func with(_ entries: [YAMLEntry]) -> YAMLNode {
    YAMLNode(.mapping(entries), range: range, coreTag: coreTag, isFaulty: isFaulty)
  }
}
