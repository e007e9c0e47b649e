/// Finds many byte strings in one pass over a text (Aho-Corasick): its state is the longest suffix of the text that is a prefix of one of the strings.
///
/// A node takes 12 bytes. Its first child is usually the next node; the others are in a table. All of it is in manually allocated memory that is
/// never modified once built, because arrays, with reference counting and bounds checks, take four times as long for each byte.
final class SecretAutomaton: @unchecked Sendable {
  /// The properties of a node.
  struct Marks: OptionSet, Sendable {
    let rawValue: UInt8
    /// A string ends here.
    static let end = Self(rawValue: 1)
    /// A string ends here, or at a node reachable by ``SecretAutomaton/suffix(of:)``.
    static let endsInside = Self(rawValue: 2)
    /// On the path of a string that may be percent-encoded.
    static let percent = Self(rawValue: 4)
    /// Such a string ends here.
    static let percentEnd = Self(rawValue: 8)
    /// Such a string continues from here.
    static let percentParent = Self(rawValue: 16)
    /// The text up to here contains no `%25`, so it is not read as partly percent-encoded.
    static let plain = Self(rawValue: 128)
    /// The next node is a child.
    static let next = Self(rawValue: 32)
    /// There are children in the table.
    static let branches = Self(rawValue: 64)
  }

  /// The state in which nothing has been found.
  static let root = 0

  private struct Node {
    /// The byte that leads here from its parent.
    var byte: UInt8 = 0
    var marks: Marks = .plain
    /// The length of its string.
    var depth: UInt32 = 0
    /// The node of the longest proper suffix of its string that has a node.
    var suffix: UInt32 = 0
  }

  private let nodes: UnsafeMutableBufferPointer<Node>
  private let branches: UnsafeMutableBufferPointer<BranchTable.Entry>
  private let first: UnsafeMutableBufferPointer<UInt32>
  /// The length of the longest string.
  let longest: Int

  /// Creates an automaton for `strings`, none of them empty, and for `percentEncoded`, which may also occur percent-encoded.
  init(_ strings: some Sequence<[UInt8]>, percentEncoded: some Sequence<[UInt8]> = EmptyCollection()) {
    var trie = Trie()
    for string in strings { trie.insert(string, isPercent: false) }
    for string in percentEncoded { trie.insert(string, isPercent: true) }
    longest = Int(trie.nodes.lazy.map(\.depth).max() ?? 0)
    nodes = Self.copy(trie.nodes)
    branches = Self.copy(trie.branches.entries)
    first = Self.copy((UInt8.min...UInt8.max).map { UInt32(trie.child(of: Self.root, $0)) })
    linkSuffixes(trie.parents)
  }

  deinit {
    nodes.deallocate()
    branches.deallocate()
    first.deallocate()
  }

  private static func copy<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeMutableBufferPointer<Element> {
    let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    _ = copy.initialize(fromContentsOf: elements)
    return copy
  }

  /// The trie of the strings while it is built.
  private struct Trie {
    var nodes = [Node()]
    var parents: [UInt32] = [0]
    var branches = BranchTable()

    mutating func insert(_ string: [UInt8], isPercent: Bool) {
      var node = SecretAutomaton.root
      for (place, byte) in string.enumerated() {
        if isPercent { nodes[node].marks.insert(.percentParent) }
        var child = child(of: node, byte)
        if child == 0 {
          child = nodes.count
          let isPlain = nodes[node].marks.contains(.plain) && !string[...place].suffix(3).elementsEqual("%25".utf8)
          nodes.append(Node(byte: byte, marks: isPlain ? .plain : [], depth: nodes[node].depth + 1))
          parents.append(UInt32(node))
          if child == node + 1 {
            nodes[node].marks.insert(.next)
          } else {
            nodes[node].marks.insert(.branches)
            branches.insert(UInt32(child), node, byte)
          }
        }
        if isPercent { nodes[child].marks.insert(.percent) }
        node = child
      }
      nodes[node].marks.insert([.end, .endsInside])
      if isPercent { nodes[node].marks.insert(.percentEnd) }
    }

    func child(of node: Int, _ byte: UInt8) -> Int {
      let marks = nodes[node].marks
      if marks.contains(.next), nodes[node + 1].byte == byte { return node + 1 }
      guard marks.contains(.branches) else { return 0 }
      return branches.entries.withUnsafeBufferPointer { BranchTable.find(node, byte, in: $0) }
    }
  }

  /// Links each node to its suffix, shorter strings first.
  private func linkSuffixes(_ parents: [UInt32]) {
    var starts = [Int](repeating: 0, count: longest + 2)
    for node in nodes { starts[Int(node.depth) + 1] += 1 }
    for depth in 0...longest { starts[depth + 1] += starts[depth] }
    var order = [UInt32](repeating: 0, count: nodes.count)
    for node in nodes.indices {
      order[starts[Int(nodes[node].depth)]] = UInt32(node)
      starts[Int(nodes[node].depth)] += 1
    }
    for node in order.lazy.map(Int.init) where nodes[node].depth > 1 {
      let suffix = step(from: Int(nodes[Int(parents[node])].suffix), nodes[node].byte)
      nodes[node].suffix = UInt32(suffix)
      if nodes[suffix].marks.contains(.endsInside) { nodes[node].marks.insert(.endsInside) }
    }
  }

  /// Returns the state after another byte.
  func step(from state: Int, _ byte: UInt8) -> Int {
    var node = state
    while node != Self.root {
      let child = child(of: node, byte)
      if child != 0 { return child }
      node = Int(nodes[node].suffix)
    }
    return Int(first[Int(byte)])
  }

  /// Returns the child of `node` for `byte`, or 0 if there is none.
  func child(of node: Int, _ byte: UInt8) -> Int {
    let marks = nodes[node].marks
    if marks.contains(.next), nodes[node + 1].byte == byte { return node + 1 }
    return marks.contains(.branches) ? BranchTable.find(node, byte, in: UnsafeBufferPointer(branches)) : 0
  }

  /// Returns the child of `node` for `byte` in strings that may be percent-encoded, or 0 if there is none.
  func percentChild(of node: Int, _ byte: UInt8) -> Int {
    let child = child(of: node, byte)
    return nodes[child].marks.contains(.percent) ? child : 0
  }

  /// Whether a string continues from `node`.
  func isOpen(_ node: Int) -> Bool { !nodes[node].marks.isDisjoint(with: [.next, .branches]) }

  func has(_ mark: Marks, _ node: Int) -> Bool { nodes[node].marks.contains(mark) }

  /// Returns the length of the text that led to `node`.
  func depth(of node: Int) -> Int { Int(nodes[node].depth) }

  /// Returns the state for the longest proper suffix of the text that has one.
  func suffix(of node: Int) -> Int { Int(nodes[node].suffix) }

  /// Calls `found` with the length of each string that ends in `state`, the longest first.
  func forEachEnd(in state: Int, _ found: (Int) -> Void) {
    var node = state
    while nodes[node].marks.contains(.endsInside) {
      if nodes[node].marks.contains(.end) { found(Int(nodes[node].depth)) }
      node = Int(nodes[node].suffix)
    }
  }

  /// Calls `found` with the length of each prefix of a string that the text in `state` ends with, the longest first.
  func forEachBeginning(in state: Int, _ found: (Int) -> Void) {
    var node = state
    while node != Self.root {
      if isOpen(node) { found(Int(nodes[node].depth)) }
      node = Int(nodes[node].suffix)
    }
  }
}

/// The children of nodes other than the next node, with open addressing: Swift's dictionaries, which are hardened against chosen keys, take ten times as long.
private struct BranchTable {
  struct Entry: BitwiseCopyable {
    var key = UInt64.max
    var child: UInt32 = 0
  }

  private(set) var entries = [Entry](repeating: Entry(), count: 16)
  private var count = 0

  private static func place(of key: UInt64, in entries: UnsafeBufferPointer<Entry>) -> Int {
    var place = Int(truncatingIfNeeded: key &* 0x9E37_79B9_7F4A_7C15 >> 32) & (entries.count - 1)
    while entries[place].key != key, entries[place].key != .max { place = (place + 1) & (entries.count - 1) }
    return place
  }

  static func find(_ node: Int, _ byte: UInt8, in entries: UnsafeBufferPointer<Entry>) -> Int {
    Int(entries[place(of: UInt64(node) << 8 | UInt64(byte), in: entries)].child)
  }

  mutating func insert(_ child: UInt32, _ node: Int, _ byte: UInt8) {
    if count * 2 >= entries.count {
      let old = entries
      entries = [Entry](repeating: Entry(), count: old.count * 2)
      for entry in old where entry.key != .max { set(entry) }
    }
    count += 1
    set(Entry(key: UInt64(node) << 8 | UInt64(byte), child: child))
  }

  private mutating func set(_ entry: Entry) {
    let place = entries.withUnsafeBufferPointer { Self.place(of: entry.key, in: $0) }
    entries[place] = entry
  }
}
