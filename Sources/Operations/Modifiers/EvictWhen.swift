extension OperationContext {
  private enum EvictableMemoryPressureKey: Key {
    static let defaultValue = MemoryPressure.defaultEvictable
  }

  /// The levels of memory pressure at which a client gives up a store without subscribers: `[.warning, .critical]` by
  /// default. Empty never gives it up.
  public var operationEvictableMemoryPressure: MemoryPressure {
    get { self[EvictableMemoryPressureKey.self] }
    set { self[EvictableMemoryPressureKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Lets a client give up the store, while nobody subscribes to it, when the pressure on memory reaches one of the
  /// levels of `pressure`; none keeps it for good.
  public func evictWhen(pressure: MemoryPressure) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationEvictableMemoryPressure = pressure }
  }
}
