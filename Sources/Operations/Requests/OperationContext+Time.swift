extension OperationContext {
  private enum ClockKey: Key {
    static let defaultValue: any OperationClock = SystemOperationClock()
  }

  /// What time it is for the operation. The system's clocks by default.
  public var operationClock: any OperationClock {
    get { self[ClockKey.self] }
    set { self[ClockKey.self] = newValue }
  }
}

extension OperationContext {
  enum DelayerKey: Key {
    static let defaultValue: any OperationDelayer = ContinuousDelayer()
  }

  private enum TimeLimitDelayerKey: Key {
    static let defaultValue: (any OperationDelayer)? = nil
  }

  /// What lets time pass for the operation: retry delays, repeat intervals and timeouts. Sleeps by `ContinuousClock` by
  /// default.
  public var operationDelayer: any OperationDelayer {
    get { self[DelayerKey.self] }
    set { self[DelayerKey.self] = newValue }
  }

  /// What measures timeouts and deadlines, where that is not `operationDelayer`; nil, the default, means that it is.
  ///
  /// Lets delays pass at once while what really runs is still bounded by real time.
  public var operationTimeLimitDelayer: (any OperationDelayer)? {
    get { self[TimeLimitDelayerKey.self] }
    set { self[TimeLimitDelayerKey.self] = newValue }
  }
}

extension OperationContext {
  private enum RandomKey: Key {
    static let defaultValue = OperationRandom.system
  }

  /// The randomness of the operation, such as the jitter of its retries. The system's by default.
  public var operationRandom: OperationRandom {
    get { self[RandomKey.self] }
    set { self[RandomKey.self] = newValue }
  }
}

extension OperationRequest {
  /// Lets the operation read the time from `clock`.
  public func clock(_ clock: some OperationClock) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationClock = clock }
  }

  /// Lets the operation's retries, repeats and timeouts wait by `delayer`.
  public func delayer(_ delayer: some OperationDelayer) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationDelayer = delayer }
  }

  /// Lets the operation draw its random numbers from `random`.
  public func random(_ random: OperationRandom) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationRandom = random }
  }
}
