import Values

/// An expression as a tree in flat arrays. Nodes are small and trivial, so that evaluation causes no reference counting for them.
package struct ExpressionProgram: Sendable {
  /// The operation of a node. `first` and `second` are the node's fields.
  package enum Kind: UInt8, Sendable {
    /// `literals[first]`.
    case literal
    /// The context `names[first]` as a whole.
    case context
    /// The member `names[second]` of the context `names[first]`.
    case member
    /// The member of the context `names[first]` named by the value of node `second`.
    case computedMember
    /// The member `names[second]` of node `first`.
    case property
    /// The element of node `first` at the value of node `second`.
    case index
    /// All members or elements of node `first`.
    case filter
    /// `!` applied to node `first`.
    case not
    /// A comparison of nodes `first` and `second`.
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// The number computed from nodes `first` and `second`.
    case add, subtract, multiply, divide, remainder
    /// The list of the nodes `children[first..<first + second]`.
    case list
    /// `&&` or `||` of the nodes `children[first..<first + second]`.
    case and, or
    /// The function `function`, called with the nodes `children[first..<first + second]`.
    case call
    /// An error that has been reported: it has the nodes `children[first..<first + second]` and no type, and is never
    /// evaluated, only checked.
    case mistake
  }

  package struct Node: Sendable {
    package var kind: Kind
    package var function: ExpressionFunction = .always
    package var first: Int32 = 0
    package var second: Int32 = 0
    /// The position of the node's own token (its operator, member or function name), from 1, and its length.
    package var position: Int32
    package var length: Int32
    /// The position of the start of the whole node, from 1, and the position after its end.
    package var start: Int32
    package var end: Int32
  }

  package var nodes: [Node] = []
  var children: [Int32] = []
  package var literals: [JSONValue] = []
  package var names: [String] = []
  package var root: Int32 = 0
  package var references: [ExpressionReference] = []
  var usesStatusFunction = false

  /// The program of text that cannot be parsed.
  static let mistake = ExpressionProgram(nodes: [Node(kind: .mistake, position: 1, length: 1, start: 1, end: 1)])

  /// Whether no errors were reported in it.
  var isSound: Bool { !nodes.contains { $0.kind == .mistake } }

  /// Returns the children of a variadic node.
  package func children(of node: Node) -> ArraySlice<Int32> {
    children[Int(node.first)..<Int(node.first + node.second)]
  }

  /// Returns the value of node `index` if it is a literal, otherwise nil.
  package func literal(_ index: Int32) -> JSONValue? {
    let node = nodes[Int(index)]
    return node.kind == .literal ? literals[Int(node.first)] : nil
  }

  /// The patterns of each call of `hashFiles` that has only literal patterns; empty if the expression contains anything that makes calls conditional.
  var filePatterns: [[String]] {
    let isPlain = nodes.allSatisfy { $0.kind != .and && $0.kind != .or && !($0.kind == .call && $0.function == .case) }
    guard isPlain else { return [] }
    return nodes.compactMap { node in
      guard node.kind == .call, node.function == .hashFiles else { return nil }
      let patterns = children(of: node).compactMap { literal($0)?.stringValue }
      return patterns.count == node.second ? patterns : nil
    }
  }

  /// Whether it can only be true if `success()` is: it is a call of `success()`, or a conjunction with one.
  var requiresSuccess: Bool {
    var open = [root]
    while let next = open.popLast() {
      let node = nodes[Int(next)]
      if node.kind == .call, node.function == .success { return true }
      if node.kind == .and { open += children(of: node) }
    }
    return false
  }

  /// Returns the place in the contexts from which a node always takes its value, as names in lowercase, or nil if it is not fixed.
  package func fixedPlace(of index: Int32) -> [String]? {
    let node = nodes[Int(index)]
    switch node.kind {
    case .context: return [names[Int(node.first)].lowercased()]
    case .member: return [names[Int(node.first)].lowercased(), names[Int(node.second)].lowercased()]
    case .property: return fixedPlace(of: node.first).map { $0 + [names[Int(node.second)].lowercased()] }
    case .index:
      guard let key = literal(node.second) else { return nil }
      return fixedPlace(of: node.first).map { $0 + [key.coercedString] }
    default: return nil
    }
  }

  /// Returns the operations, in lowercase, for which every use of `results.x` has a default; see ``Expression/resultsWithDefault``.
  func resultsWithDefault() -> Set<String> {
    guard references.contains(where: { $0.context == "results" }) else { return [] }
    var withDefault: Set<String> = []
    var without: Set<String> = []
    collectResults(of: root, hasDefault: false, withDefault: &withDefault, without: &without)
    return withDefault.subtracting(without)
  }

  private func collectResults(
    of index: Int32, hasDefault: Bool, withDefault: inout Set<String>, without: inout Set<String>
  ) {
    let node = nodes[Int(index)]
    switch node.kind {
    case .literal, .context: break
    case .member:
      guard names[Int(node.first)] == "results" else { break }
      if hasDefault {
        withDefault.insert(names[Int(node.second)].lowercased())
      } else {
        without.insert(names[Int(node.second)].lowercased())
      }
    case .computedMember:
      collectResults(of: node.second, hasDefault: false, withDefault: &withDefault, without: &without)
    // A member of null is null, so the default applies to the whole path.
    case .property, .filter:
      collectResults(of: node.first, hasDefault: hasDefault, withDefault: &withDefault, without: &without)
    case .index:
      collectResults(of: node.first, hasDefault: hasDefault, withDefault: &withDefault, without: &without)
      collectResults(of: node.second, hasDefault: false, withDefault: &withDefault, without: &without)
    case .not: collectResults(of: node.first, hasDefault: false, withDefault: &withDefault, without: &without)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .add, .subtract, .multiply, .divide,
      .remainder:
      collectResults(of: node.first, hasDefault: false, withDefault: &withDefault, without: &without)
      collectResults(of: node.second, hasDefault: false, withDefault: &withDefault, without: &without)
    case .and:
      // `results.x && 'yes' || 'no'`: a missing result short-circuits the `&&`, so the default applies.
      for child in children(of: node) {
        collectResults(of: child, hasDefault: hasDefault, withDefault: &withDefault, without: &without)
      }
    case .or:
      let operands = children(of: node)
      for (place, child) in operands.enumerated() {
        collectResults(
          of: child, hasDefault: hasDefault || place < operands.count - 1, withDefault: &withDefault, without: &without)
      }
    case .call, .list, .mistake:
      for child in children(of: node) {
        collectResults(of: child, hasDefault: false, withDefault: &withDefault, without: &without)
      }
    }
  }
}
