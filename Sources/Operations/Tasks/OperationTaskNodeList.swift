/// An ordered list of tasks, compared by identity. A single task needs no memory besides the list.
///
/// Not generic, because generic code pays for every access to a type that it does not know.
@usableFromInline
struct OperationTaskNodeList: Sendable {
  private(set) var first: OperationTaskNode?
  private var rest: ContiguousArray<OperationTaskNode> = []

  @usableFromInline
  init() {}

  @usableFromInline
  var isEmpty: Bool { first == nil }

  @usableFromInline
  var count: Int { first == nil ? 0 : 1 + rest.count }

  @usableFromInline
  subscript(position: Int) -> OperationTaskNode {
    if position == 0, let first { return first }
    return rest[position - 1]
  }

  @usableFromInline
  mutating func append(_ node: OperationTaskNode) {
    if first == nil { first = node } else { rest.append(node) }
  }

  @usableFromInline
  func contains(_ node: OperationTaskNode) -> Bool {
    guard let first else { return false }
    return first === node || rest.contains { $0 === node }
  }

  @discardableResult
  @usableFromInline
  mutating func remove(_ node: OperationTaskNode) -> Bool {
    guard let first else { return false }
    if first === node {
      self.first = rest.isEmpty ? nil : rest.removeFirst()
      return true
    }
    guard let index = rest.firstIndex(where: { $0 === node }) else { return false }
    rest.remove(at: index)
    return true
  }

  /// Returns whether both have the same tasks in the same order.
  func isSame(as other: OperationTaskNodeList) -> Bool {
    guard count == other.count else { return false }
    return (0..<count).allSatisfy { self[$0] === other[$0] }
  }
}
