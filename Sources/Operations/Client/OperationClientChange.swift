/// Stores that came and went in a client.
public struct OperationClientChange<Store: Sendable>: Sendable {
  /// The stores that the client has since then.
  public let added: [Store]
  /// The stores that it has no more.
  public let removed: [Store]

  init(added: [Store], removed: [Store]) {
    self.added = added
    self.removed = removed
  }
}
