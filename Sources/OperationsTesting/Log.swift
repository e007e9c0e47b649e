import Synchronization

/// A log of values, appended from any thread and kept in order.
public final class Log<Element: Sendable>: Sendable {
  private let storage = Mutex<[Element]>([])

  /// Creates an empty log.
  public init() {}

  /// The values appended so far.
  public var elements: [Element] { storage.withLock { $0 } }

  /// The number of values appended so far.
  public var count: Int { storage.withLock { $0.count } }

  /// Appends `element`.
  ///
  /// - Returns: The number of values, including this one.
  @discardableResult
  public func append(_ element: Element) -> Int {
    storage.withLock { elements in
      elements.append(element)
      return elements.count
    }
  }
}
