/// The result of a fetch: the objects in order, as they were at that time.
public struct FetchedResult<Element: Storable>: Sendable, RandomAccessCollection {
  @usableFromInline let objects: [Element]
  @usableFromInline let query: Query<Element>

  @inlinable
  init(objects: [Element], query: Query<Element>) {
    self.objects = objects
    self.query = query
  }

  /// 0.
  @inlinable public var startIndex: Int { 0 }
  /// The number of objects.
  @inlinable public var endIndex: Int { objects.count }
  /// The object at a position.
  @inlinable public subscript(position: Int) -> Element { objects[position] }
}

extension FetchedResult: Equatable where Element: Equatable {
  /// Returns whether both have the same objects in the same order, whatever their queries.
  public static func == (left: FetchedResult, right: FetchedResult) -> Bool { left.objects == right.objects }
}
