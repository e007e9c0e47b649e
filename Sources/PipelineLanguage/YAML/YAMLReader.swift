/// Reads the YAML of a pipeline file into nodes with ranges.
///
/// Any input is accepted, and every error becomes a diagnostic. YAML is read as version 1.2, with limits: files up to ``maximumSize``, nesting up
/// to ``maximumDepth``, and up to ``maximumExpansion`` nodes from aliases.
public enum YAMLReader {
  /// The maximum size of a file, in bytes: 16 MiB.
  public static let maximumSize = 16 << 20
  /// The maximum nesting of sequences and mappings, with aliases expanded: 100.
  public static let maximumDepth = 100
  /// The maximum number of nodes that all aliases of a file together may expand to: 100,000.
  public static let maximumExpansion = 100_000
  /// The maximum number of findings; a file with more of them is not a pipeline file.
  static let maximumFindings = 1_000

  /// Reads `text`.
  ///
  /// - Returns: The root node, and all findings. The root is nil after an error that prevents reading the whole file (`yaml-syntax`,
  ///   `invalid-utf8`, `file-too-large`, `too-deep`, `multiple-documents`, `empty-file`). After other errors, it contains what could be read: a
  ///   duplicate key, `<<` or a key that is not a scalar is left out with its value, and an unreadable node is ``YAMLNode/isFaulty``.
  public static func read(_ text: SourceText) -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
    if let refusal = YAMLAdmission.refusal(of: text) { return (nil, [refusal]) }
    return text.withBytes { bytes in
      var builder = YAMLTreeBuilder(source: text, bytes: bytes)
      return builder.build()
    }
  }
}
