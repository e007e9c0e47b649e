extension OperationContext {
  private enum MutationArgumentsKey: Key {
    static var defaultValue: (any Sendable)? { nil }
  }

  /// Returns the arguments of the mutation that runs in this context, or nil if it has none of this type. `Void` is always present.
  public func mutationArguments<Arguments: Sendable>(as _: Arguments.Type) -> Arguments? {
    // Unwrapped before the cast, which would turn a missing value into nil arguments of an optional type.
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

  /// The maximum number of attempts in the state of a mutation: at least 1; nil, the default, keeps all.
  public var operationMaxHistory: Int? {
    get { self[MaxHistoryKey.self] }
    set { self[MaxHistoryKey.self] = newValue }
  }
}
