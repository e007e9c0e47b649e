/// Objects in order, compared by identity. One takes no memory beside the list.
///
/// Not generic, because generic code that does not know its types pays for each look at them.
struct ObjectList: Sendable {
  typealias Object = any AnyObject & Sendable

  private(set) var first: Object?
  private var rest: ContiguousArray<Object> = []

  var isEmpty: Bool { first == nil }

  var count: Int { first == nil ? 0 : 1 + rest.count }

  subscript(position: Int) -> Object {
    if position == 0, let first { return first }
    return rest[position - 1]
  }

  mutating func append(_ object: Object) {
    if first == nil { first = object } else { rest.append(object) }
  }

  func contains(_ object: Object) -> Bool {
    guard let first else { return false }
    return first === object || rest.contains { $0 === object }
  }

  @discardableResult
  mutating func remove(_ object: Object) -> Bool {
    guard let first else { return false }
    if first === object {
      self.first = rest.isEmpty ? nil : rest.removeFirst()
      return true
    }
    guard let index = rest.firstIndex(where: { $0 === object }) else { return false }
    rest.remove(at: index)
    return true
  }

  /// Whether both have the same objects in the same order.
  func isSame(as other: ObjectList) -> Bool {
    guard count == other.count else { return false }
    return (0..<count).allSatisfy { self[$0] === other[$0] }
  }
}
