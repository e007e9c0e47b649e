extension OperationContext {
  private enum MutationArgumentsKey: Key {
    static var defaultValue: (any Sendable)? { nil }
  }

  /// The arguments of the mutation that runs in this context; nil when it has none of this type. `Void` is always there.
  public func mutationArguments<Arguments: Sendable>(as _: Arguments.Type) -> Arguments? {
    // Unwrapped before the cast, which makes a nil of optional arguments of what is not there.
    if let arguments = self[MutationArgumentsKey.self] { return arguments as? Arguments }
    return Arguments.self == Void.self ? () as? Arguments : nil
  }

  /// Sets the arguments for a mutation that runs in this context.
  public mutating func setMutationArguments(_ arguments: some Sendable) {
    self[MutationArgumentsKey.self] = arguments
  }
}

extension OperationContext {
  private enum MaxHistoryKey: Key {
    static let defaultValue: Int? = nil
  }

  /// How many attempts the state of a mutation keeps: at least 1; nil, the default, keeps all.
  public var operationMaxHistory: Int? {
    get { self[MaxHistoryKey.self] }
    set { self[MaxHistoryKey.self] = newValue }
  }
}
