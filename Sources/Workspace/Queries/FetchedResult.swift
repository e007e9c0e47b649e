/// What a fetch has found: the objects in order, as they were at that moment.
public struct FetchedResult<Element: Storable>: Sendable, RandomAccessCollection {
  let objects: [Element]
  let query: Query<Element>

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { objects.count }
  /// The object at a place.
  public subscript(position: Int) -> Element { objects[position] }
}

extension FetchedResult: Equatable where Element: Equatable {
  /// Whether both have the same objects in the same order, whatever was asked.
  public static func == (left: FetchedResult, right: FetchedResult) -> Bool { left.objects == right.objects }
}
