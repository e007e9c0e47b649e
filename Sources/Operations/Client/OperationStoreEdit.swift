/// A set of stores of a client with matching paths, to be edited together. See
/// ``OperationClient/withStores(matching:perform:)``.
public struct OperationStoreEdit: Sendable {
  private let client: OperationClient
  private let path: OperationPath
  private(set) var created: [OperationClient.Entry] = []
  /// All stores created, including those removed again, because the caller may still use them.
  private(set) var made: [any ControllableStore] = []
  private(set) var removed: [any AnyOperationStore] = []

  /// The stores, oldest first: those of the client, without the removed and with the created ones.
  public private(set) var stores: [any AnyOperationStore]

  init(client: OperationClient, path: OperationPath, stores: [any AnyOperationStore]) {
    self.client = client
    self.path = path
    self.stores = stores
  }

  /// Removes the store of `path`, if there is one.
  public mutating func remove(at path: OperationPath) {
    removeAll { $0.path == path }
  }

  /// Removes the stores for which `condition` is true.
  public mutating func removeAll<Failure: Error>(
    where condition: (any AnyOperationStore) throws(Failure) -> Bool
  ) throws(Failure) {
    var going: [any AnyOperationStore] = []
    for store in stores where try condition(store) { going.append(store) }
    stores.removeAll { store in going.contains { $0 === store } }
    created.removeAll { entry in going.contains { $0 === entry.store } }
    removed += going
  }

  /// Removes all of the stores.
  public mutating func removeAll() {
    removeAll { _ in true }
  }

  /// Adds a store for `operation`, or returns the existing store at its path.
  ///
  /// If the client gets another store at this path before the edit ends, that one is kept: the returned store works but
  /// is not the client's, and ``OperationWarning/lateInsertion(_:)`` is reported.
  ///
  /// - Returns: The store; nil if the path is not among those being edited, or has a store of another type.
  public mutating func insert<Operation: StatefulOperationRequest>(
    _ operation: Operation, state: @autoclosure () -> Operation.State
  ) -> OperationStore<Operation.State>? {
    let place = operation.path
    guard path.isPrefix(of: place) else { return nil }
    if let known = stores.first(where: { $0.path == place }) { return known as? OperationStore<Operation.State> }
    let store = client.makeStore(for: operation, state: state())
    stores.append(store)
    made.append(store)
    created.append(OperationClient.Entry(store: store, request: Operation.self))
    return store
  }
}
