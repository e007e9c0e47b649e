extension OperationContext {
  private enum EvictableMemoryPressureKey: Key {
    static let defaultValue = MemoryPressure.defaultEvictable
  }

  /// The levels of memory pressure at which a client removes a store without subscribers: `[.warning, .critical]` by
  /// default. If empty, the store is never removed.
  public var operationEvictableMemoryPressure: MemoryPressure {
    get { self[EvictableMemoryPressureKey.self] }
    set { self[EvictableMemoryPressureKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Allows a client to remove the store while it has no subscribers, when memory pressure reaches one of the levels in
  /// `pressure`. If empty, the store is kept permanently.
  public func evictWhen(pressure: MemoryPressure) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationEvictableMemoryPressure = pressure }
  }
}
