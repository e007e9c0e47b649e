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
  /// Where the last thing inside ends so far.
  var end: SourceMark
  var weight = YAMLWeight(nodes: 1, height: 1)
  var key = Key.expected
  /// The lines of the keys so far, once there are too many of them to compare one by one.
  private var keyLines: [String: Int] = [:]

  /// What a mapping has read last.
  enum Key {
    /// A whole entry, or nothing.
    case expected
    /// A key whose value comes next.
    case read(YAMLNode)
    /// A key that is left out, and its value with it.
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

  /// The line of the entry named `key` among the frame's `entries` so far, or nil. Asked for each key in turn.
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

/// How large a node is, with aliases followed.
struct YAMLWeight {
  /// The number of nodes in it, itself included.
  var nodes: Int
  /// The number of collections around its innermost scalar.
  var height: Int

  static let scalar = YAMLWeight(nodes: 1, height: 0)
}

/// What an anchor's name stands for.
enum YAMLAnchor {
  /// A collection that is being read, the one with so many others around it.
  case open(depth: Int)
  case closed(YAMLNode, YAMLWeight)
}
