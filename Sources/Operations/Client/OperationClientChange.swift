/// Stores that were added to or removed from a client.
public struct OperationClientChange<Store: Sendable>: Sendable {
  /// The stores that were added.
  public let added: [Store]
  /// The stores that were removed.
  public let removed: [Store]

  init(added: [Store], removed: [Store]) {
    self.added = added
    self.removed = removed
  }
}
