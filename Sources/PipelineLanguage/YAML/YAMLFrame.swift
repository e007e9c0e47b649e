/// A sequence or mapping that is being read.
struct YAMLFrame {
  let isMapping: Bool
  let isFlow: Bool
  let start: SourceMark
  /// The index of its first item or entry among those of all open frames.
  let first: Int
  let anchor: String?
  let tag: YAMLCoreTag?
  let isFaulty: Bool
  /// The end of its last content so far.
  var end: SourceMark
  var weight = YAMLWeight(nodes: 1, height: 1)
  var key = Key.expected
  /// The line of each key so far, once there are too many keys for a linear search.
  private var keyLines: [String: Int] = [:]

  /// The reading state of a mapping.
  enum Key {
    /// A key is expected.
    case expected
    /// A key whose value comes next.
    case read(YAMLNode)
    /// A key that is left out, together with its value.
    case dropped
  }

  init(
    isMapping: Bool, isFlow: Bool, start: SourceMark, first: Int, anchor: String?, tag: YAMLCoreTag?, isFaulty: Bool
  ) {
    self.isMapping = isMapping
    self.isFlow = isFlow
    self.start = start
    self.first = first
    self.anchor = anchor
    self.tag = tag
    self.isFaulty = isFaulty
    end = start
  }

  /// Returns the line of the entry named `key` among the frame's `entries` so far, or nil. Must be called for each key in order.
  mutating func line(ofEarlierKey key: String, among entries: ArraySlice<YAMLEntry>) -> Int? {
    if entries.count <= 8 { return entries.first { $0.name == key }?.key.range.start.line }
    if keyLines.isEmpty {
      for entry in entries { keyLines[entry.name] = entry.key.range.start.line }
    } else if let last = entries.last {
      keyLines[last.name] = last.key.range.start.line
    }
    return keyLines[key]
  }
}

/// The size of a node, with aliases expanded.
struct YAMLWeight {
  /// The number of nodes, including the node itself.
  var nodes: Int
  /// The number of collections around the innermost scalar.
  var height: Int

  static let scalar = YAMLWeight(nodes: 1, height: 0)
}

/// The node of an anchor.
enum YAMLAnchor {
  /// A collection that is being read, at this depth.
  case open(depth: Int)
  case closed(YAMLNode, YAMLWeight)
}
