/// A node of a YAML file: a scalar, a sequence or a mapping, with its range in the file.
///
/// An alias yields the node of its anchor, including its range, because that is where its text is. Nodes are values of 40 bytes that share
/// their storage.
public struct YAMLNode: Sendable {
  /// The notation of a scalar.
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

  /// The contents of a node.
  public enum Content: Sendable {
    /// An unescaped text, and its notation. A missing value is an empty plain scalar.
    case scalar(String, ScalarStyle)
    /// The items of a list.
    case sequence([YAMLNode])
    /// The entries, in file order. Their keys are distinct scalars.
    case mapping([YAMLEntry])
  }

  /// The contents of the node.
  public let content: Content
  /// The tag before the node, if it is one of the core schema's.
  let coreTag: YAMLCoreTag?
  /// Whether the reader has already reported an error in this very node, so that no more are needed. For example, an alias without an anchor is read as an
  /// empty scalar with this mark.
  public let isFaulty: Bool
  // 32 bits are enough for files of at most 16 MiB, and halve the size of the node.
  private let startLine: UInt32
  private let startColumn: UInt32
  private let endLine: UInt32
  private let endColumn: UInt32
  /// The text that contains the node: see ``SourceRange/origin``.
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

  /// The range of the node, from its first character (including a quote, `|`, a bracket or `-`) to its last, exclusive end. Anchors and tags before it, and
  /// blank lines and comments after it, are not included.
  public var range: SourceRange {
    var range = SourceRange(
      start: SourceMark(line: Int(startLine), column: Int(startColumn)),
      end: SourceMark(line: Int(endLine), column: Int(endColumn))
    )
    range.origin = origin
    return range
  }

  /// The core schema tag before the node, such as `!!str`, or nil.
  public var tag: String? { coreTag.map { "!!\($0)" } }

  /// The text of a scalar as written, regardless of its meaning; nil for a sequence or mapping.
  public var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  /// The items of a sequence; otherwise nil.
  public var items: [YAMLNode]? {
    if case .sequence(let items) = content { items } else { nil }
  }

  /// The entries of a mapping; otherwise nil.
  public var entries: [YAMLEntry]? {
    if case .mapping(let entries) = content { entries } else { nil }
  }

  /// The value of the entry `key` of a mapping; nil if there is none, or if the node is not a mapping.
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
