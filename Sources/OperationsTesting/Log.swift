import Synchronization

/// Values noted from any thread, in order.
public final class Log<Element: Sendable>: Sendable {
  private let storage = Mutex<[Element]>([])

  /// An empty log.
  public init() {}

  /// What has been noted so far.
  public var elements: [Element] { storage.withLock { $0 } }

  /// How many values have been noted so far.
  public var count: Int { storage.withLock { $0.count } }

  /// Notes `element`.
  ///
  /// - Returns: How many values there are with it.
  @discardableResult
  public func append(_ element: Element) -> Int {
    storage.withLock { elements in
      elements.append(element)
      return elements.count
    }
  }
}
