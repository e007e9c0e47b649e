/// A client that may be gone.
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

  /// The client whose store the operation runs in: to find the stores of related operations. nil for detached stores and
  /// when the client is gone.
  public var operationClient: OperationClient? { operationClientReference?.client }
}
