/// A weak reference to a client.
final class WeakOperationClient: Sendable {
  weak let client: OperationClient?

  init(_ client: OperationClient) {
    self.client = client
  }
}

extension OperationContext {
  private enum ClientKey: Key {
    static var defaultValue: WeakOperationClient? { nil }
  }

  var operationClientReference: WeakOperationClient? {
    get { self[ClientKey.self] }
    set { self[ClientKey.self] = newValue }
  }

  /// The client whose store the operation runs in, for finding the stores of related operations. Nil for detached
  /// stores and if the client no longer exists.
  public var operationClient: OperationClient? { operationClientReference?.client }
}
