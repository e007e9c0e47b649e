/// The stores of a client whose paths match, to be edited together. See
/// ``OperationClient/withStores(matching:perform:)``.
public struct OperationStoreEdit: Sendable {
  private let client: OperationClient
  private let path: OperationPath
  private(set) var created: [OperationClient.Entry] = []
  /// All that were made, also those that were removed again: whoever got one may use it.
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

  /// Adds a store for `operation`, unless there is one at its path, which is then returned.
  ///
  /// If the client gets another store at this path before the edit is over, that one stays: the returned store works,
  /// but is not the client's, and ``OperationWarning/lateInsertion(_:)`` is reported.
  ///
  /// - Returns: The store; nil when the path does not match the edited ones, or has a store of another type.
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
