extension OperationContext {
  private enum ClockKey: Key {
    static let defaultValue: any OperationClock = SystemOperationClock()
  }

  /// The clock of the operation. The system's clocks by default.
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

  /// The delayer for retry delays, repeat intervals and timeouts. Sleeps with `ContinuousClock` by default.
  public var operationDelayer: any OperationDelayer {
    get { self[DelayerKey.self] }
    set { self[DelayerKey.self] = newValue }
  }

  /// The delayer for timeouts and deadlines, if it differs from `operationDelayer`; nil, the default, means that it does not.
  ///
  /// With it, delays can pass instantly while the actual work is still limited by real time.
  public var operationTimeLimitDelayer: (any OperationDelayer)? {
    get { self[TimeLimitDelayerKey.self] }
    set { self[TimeLimitDelayerKey.self] = newValue }
  }
}

extension OperationContext {
  private enum RandomKey: Key {
    static let defaultValue = OperationRandom.system
  }

  /// The random numbers of the operation, such as the jitter of its retries. The system's generator by default.
  public var operationRandom: OperationRandom {
    get { self[RandomKey.self] }
    set { self[RandomKey.self] = newValue }
  }
}

extension OperationRequest {
  /// Makes the operation read the time from `clock`.
  public func clock(_ clock: some OperationClock) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationClock = clock }
  }

  /// Makes the operation's retries, repetitions and timeouts wait with `delayer`.
  public func delayer(_ delayer: some OperationDelayer) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationDelayer = delayer }
  }

  /// Makes the operation draw its random numbers from `random`.
  public func random(_ random: OperationRandom) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationRandom = random }
  }
}
