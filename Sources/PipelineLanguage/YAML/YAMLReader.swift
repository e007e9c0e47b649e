/// Reads the YAML of a pipeline file into nodes with places.
///
/// The input may be anything: whatever is wrong with it becomes a diagnostic. YAML is read by version 1.2, with limits:
/// files up to ``maximumSize``, nesting up to ``maximumDepth``, and up to ``maximumExpansion`` nodes out of aliases.
public enum YAMLReader {
  /// The largest file that is read, in bytes: 16 MiB.
  public static let maximumSize = 16 << 20
  /// The deepest nesting of sequences and mappings, aliases followed: 100.
  public static let maximumDepth = 100
  /// How many nodes all aliases of a file together may stand for: 100,000.
  public static let maximumExpansion = 100_000
  /// How many findings are kept. A file with more of them is not a pipeline file.
  static let maximumFindings = 1_000

  /// Reads `text`.
  ///
  /// - Returns: The root node, and everything found wrong. The root is nil after an error that keeps the file from being
  ///   read to its end (`yaml-syntax`, `invalid-utf8`, `file-too-large`, `too-deep`, `multiple-documents`,
  ///   `empty-file`). After the others it is what could be read: a duplicate key, `<<` or a key that is no scalar is left
  ///   out with its value, and a node that could not be read is ``YAMLNode/isFaulty``.
  public static func read(_ text: SourceText) -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
    if let refusal = YAMLAdmission.refusal(of: text) { return (nil, [refusal]) }
    return text.withBytes { bytes in
      var builder = YAMLTreeBuilder(source: text, bytes: bytes)
      return builder.build()
    }
  }
}
