/// What a fetch has found: the objects in order, as they were at that moment.
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
  /// The object at a place.
  @inlinable public subscript(position: Int) -> Element { objects[position] }
}

extension FetchedResult: Equatable where Element: Equatable {
  /// Whether both have the same objects in the same order, whatever was asked.
  public static func == (left: FetchedResult, right: FetchedResult) -> Bool { left.objects == right.objects }
}
