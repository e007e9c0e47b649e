import Synchronization

/// Identifies a task. Unique within the process; ascending in the order in which the tasks were created.
public struct OperationTaskIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible {
  private static let last = Atomic<UInt64>(0)

  private let number: UInt64

  init() {
    number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Returns whether `left` was created earlier.
  public static func < (left: OperationTaskIdentifier, right: OperationTaskIdentifier) -> Bool {
    left.number < right.number
  }

  /// The number, as in `#17`.
  public var description: String { "#\(number)" }
}
