/// The difference between a result and the next one, for code that displays the objects as a list.
///
/// Objects are identified by their keys. ``applied(to:inserting:)`` defines in code what the positions mean.
public struct ResultDifference: Sendable, Equatable {
  /// An object with different positions in the old and the new result.
  public struct Move: Sendable, Equatable {
    /// Its position in the old result.
    public let from: Int
    /// Its position in the new result.
    public let to: Int
  }

  /// The positions in the old result of deleted objects, ascending.
  public let deletions: [Int]
  /// The positions in the new result of inserted objects, ascending.
  public let insertions: [Int]
  /// The moved objects among those in both results; as few as possible. Ascending by `to`.
  public let moves: [Move]
  /// The positions in the new result of objects in both results whose fields have changed, ascending.
  public let updates: [Int]

  /// Whether the results are the same.
  public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }

  /// Compares two results.
  init<T: Storable>(from old: FetchedResult<T>, to new: FetchedResult<T>) {
    let core = T.schema.core
    self.init(
      from: old.objects, to: new.objects, key: { (try? core.key(of: $0)) ?? ObjectKey([]) },
      isSame: { core.areSame($0, $1) })
  }

  init<Row, Key: Hashable>(from old: [Row], to new: [Row], key: (Row) -> Key, isSame: (Row, Row) -> Bool) {
    let oldPlaces = Dictionary(zip(old.lazy.map(key), old.indices), uniquingKeysWith: { first, _ in first })
    let newKeys = new.map(key)
    let newSet = Set(newKeys)
    deletions = old.indices.filter { !newSet.contains(key(old[$0])) }
    var insertions: [Int] = []
    var updates: [Int] = []
    var staying: [(old: Int, new: Int)] = []
    for place in new.indices {
      guard let from = oldPlaces[newKeys[place]] else {
        insertions.append(place)
        continue
      }
      staying.append((from, place))
      if !isSame(old[from], new[place]) { updates.append(place) }
    }
    let inOrder = Self.longestIncreasing(staying.map(\.old))
    moves = staying.indices.filter { !inOrder.contains($0) }.map { Move(from: staying[$0].old, to: staying[$0].new) }
    self.insertions = insertions
    self.updates = updates
  }

  /// Applies the difference to the old result: removes deleted and moved objects, inserts moved and new ones by ascending position, and replaces updated
  /// ones. `object` returns the new object at a position.
  public func applied<Element>(to old: [Element], inserting object: (Int) -> Element) -> [Element] {
    let leaving = Set(deletions).union(moves.map(\.from))
    var result = old.indices.filter { !leaving.contains($0) }.map { old[$0] }
    var arriving = moves.map { ($0.to, old[$0.from]) } + insertions.map { ($0, object($0)) }
    arriving.sort { $0.0 < $1.0 }
    for (place, element) in arriving { result.insert(element, at: place) }
    for place in updates { result[place] = object(place) }
    return result
  }

  /// Returns the positions of a longest increasing subsequence.
  private static func longestIncreasing(_ values: [Int]) -> Set<Int> {
    var ends: [Int] = []
    var before: [Int?] = []
    for (place, value) in values.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      before.append(low > 0 ? ends[low - 1] : nil)
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var chosen: Set<Int> = []
    var place = ends.last
    while let current = place {
      chosen.insert(current)
      place = before[current]
    }
    return chosen
  }
}
