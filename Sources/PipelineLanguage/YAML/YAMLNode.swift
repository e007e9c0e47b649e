/// A node of a YAML file: a scalar, a sequence or a mapping, with the place where it is written.
///
/// A node that an alias stands for is the node of its anchor, place included, because that is where its text is.
/// Nodes are values of 40 bytes, and share what they hold.
public struct YAMLNode: Sendable {
  /// How a scalar is written.
  public enum ScalarStyle: UInt8, Sendable, Hashable {
    /// Without quotes: the only style whose text may mean a number, a boolean or null.
    case plain
    /// In `'…'`.
    case singleQuoted
    /// In `"…"`.
    case doubleQuoted
    /// After `|`.
    case literal
    /// After `>`.
    case folded
  }

  /// What a node is.
  public enum Content: Sendable {
    /// A text, unescaped, and how it was written. A missing value is an empty plain scalar.
    case scalar(String, ScalarStyle)
    /// The items of a list.
    case sequence([YAMLNode])
    /// The entries in the order they are written. Their keys are scalars, and no two are the same.
    case mapping([YAMLEntry])
  }

  /// What the node is.
  public let content: Content
  /// The tag written before the node, if it is one of the core schema's.
  let coreTag: YAMLCoreTag?
  /// Whether the reader has already reported something wrong with this very node, so that nothing more need be said about
  /// it. An alias without an anchor, for example, is read as an empty scalar with this mark.
  public let isFaulty: Bool
  // 32 bits are enough for files of at most 16 MiB, and halve the node.
  private let startLine: UInt32
  private let startColumn: UInt32
  private let endLine: UInt32
  private let endColumn: UInt32
  /// Which text it is written in, where there are several: see ``SourceRange/origin``.
  let origin: UInt32

  init(_ content: Content, range: SourceRange, coreTag: YAMLCoreTag? = nil, isFaulty: Bool = false) {
    self.content = content
    self.coreTag = coreTag
    self.isFaulty = isFaulty
    startLine = UInt32(clamping: range.start.line)
    startColumn = UInt32(clamping: range.start.column)
    endLine = UInt32(clamping: range.end.line)
    endColumn = UInt32(clamping: range.end.column)
    origin = range.origin
  }

  /// Where the node is written, from its first character (a quote, `|`, a bracket or `-` included) to behind its last.
  /// An anchor or tag before it, and blank lines or comments after it, do not belong to it.
  public var range: SourceRange {
    var range = SourceRange(
      start: SourceMark(line: Int(startLine), column: Int(startColumn)),
      end: SourceMark(line: Int(endLine), column: Int(endColumn))
    )
    range.origin = origin
    return range
  }

  /// The tag of the core schema written before the node, such as `!!str`, or nil.
  public var tag: String? { coreTag.map { "!!\($0)" } }

  /// The text of a scalar as it is written, whatever it means; nil for a sequence or mapping.
  public var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  /// The items of a sequence; nil for anything else.
  public var items: [YAMLNode]? {
    if case .sequence(let items) = content { items } else { nil }
  }

  /// The entries of a mapping; nil for anything else.
  public var entries: [YAMLEntry]? {
    if case .mapping(let entries) = content { entries } else { nil }
  }

  /// The value of the entry `key` of a mapping; nil when there is none, or when the node is no mapping.
  public subscript(key: String) -> YAMLNode? {
    entries?.first { $0.name == key }?.value
  }
}

/// A key of a mapping and its value.
public struct YAMLEntry: Sendable {
  /// The key, always a scalar.
  public let key: YAMLNode
  /// The value.
  public let value: YAMLNode

  init(key: YAMLNode, value: YAMLNode) {
    self.key = key
    self.value = value
  }

  /// The text of the key.
  public var name: String { key.text ?? "" }
}
