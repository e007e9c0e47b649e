/// Identifies an operation by a list of hashable elements, such as `["users", 17]`.
///
/// A client keeps one store per path, and finds stores by path prefix: `["users"]` matches `["users", 17]`, and the
/// empty path matches all. Two paths are equal if they have equal elements of the same types in the same order, and
/// equal paths have equal hashes. The elements' `==` and `hash(into:)` must be pure and must not use the library,
/// because a client calls them while holding its lock.
public struct OperationPath: Sendable {
  /// One element of a path.
  public typealias Element = any Hashable & Sendable

  /// Stores a path; most have one element, which needs no array.
  private enum Storage: Sendable {
    case empty
    case one(Element)
    case many([Element])
  }

  private var storage: Storage

  /// Creates the empty path, which is a prefix of every path.
  public init() {
    storage = .empty
  }

  /// Creates a path of one element.
  public init(_ element: some Hashable & Sendable) {
    storage = .one(element)
  }

  /// Creates a path of `elements`, in order.
  public init(elements: some Collection<Element>) {
    switch elements.count {
    case 0: storage = .empty
    case 1: storage = elements.first.map { .one($0) } ?? .empty
    default: storage = .many(Array(elements))
    }
  }

  /// Returns whether `other` begins with all elements of this path. True for equal paths, and for the empty path.
  public func isPrefix(of other: OperationPath) -> Bool {
    count <= other.count && indices.allSatisfy { Self.areEqual(self[$0], other[$0]) }
  }

  /// Appends an element.
  public mutating func append(_ element: some Hashable & Sendable) {
    switch storage {
    case .empty: storage = .one(element)
    case .one(let first): storage = .many([first, element])
    case .many(let elements): storage = .many(elements + [element])
    }
  }

  /// Returns the path followed by the elements of `other`.
  public func appending(_ other: OperationPath) -> OperationPath {
    OperationPath(elements: Array(self) + Array(other))
  }

  /// Returns the path followed by one more element.
  public func appending(_ element: some Hashable & Sendable) -> OperationPath {
    var path = self
    path.append(element)
    return path
  }

  private static func areEqual(_ left: Element, _ right: Element) -> Bool {
    func matches<Value: Hashable & Sendable>(_ left: Value) -> Bool {
      // A cast alone would let a subclass equal its superclass in one direction only.
      type(of: right) == Value.self && (right as? Value) == left
    }
    return matches(left)
  }
}

extension OperationPath: RandomAccessCollection {
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int {
    switch storage {
    case .empty: 0
    case .one: 1
    case .many(let elements): elements.count
    }
  }

  /// The element at `position`, from 0.
  public subscript(position: Int) -> any Hashable & Sendable {
    switch storage {
    case .empty: preconditionFailure("an empty path has no element \(position)")
    case .one(let element):
      precondition(position == 0, "a path of one element has no element \(position)")
      return element
    case .many(let elements): return elements[position]
    }
  }
}

extension OperationPath: Hashable {
  /// Returns whether both have equal elements in the same order.
  public static func == (left: OperationPath, right: OperationPath) -> Bool {
    left.count == right.count && left.isPrefix(of: right)
  }

  /// Hashes the number of elements and each of them.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { element.hash(into: &hasher) }
  }
}

extension OperationPath: ExpressibleByArrayLiteral {
  /// Creates a path of the listed elements.
  public init(arrayLiteral elements: any Hashable & Sendable...) {
    self.init(elements: elements)
  }
}

extension OperationPath: CustomStringConvertible {
  /// The elements, as in `[users, 17]`.
  public var description: String { "[" + map { "\($0)" }.joined(separator: ", ") + "]" }
}
