extension Offer {
  /// An operation of settings that needs nothing and has a result.
  ///
  /// Each attempt is a task of its own, which is cancelled when the host stops it. An error that it throws reaches the
  /// pipeline as a ``PluginProblem``. Results that it yields before its last one stay in the plugin: the contract has no
  /// place for them; tell `OperationContext.pluginProgress(_:_:)` instead.
  ///
  /// - Parameters:
  ///   - id: The id in pipeline files.
  ///   - summary: What it does, in one line.
  ///   - threads: See ``Threads``.
  ///   - make: Makes the operation for one attempt. Must return at once; what it throws fails the attempt.
  /// - Returns: The offer.
  public static func operation<Settings: PluginSettings, Operation: OperationRequest>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Operation
  ) -> Offer where Operation.Value: PluginValue {
    request(id, summary, threads, make, Operation.Value.valueType) { try ValueEncoder.encode($0) }
  }

  /// An operation of settings that needs nothing and has no result.
  public static func operation<Settings: PluginSettings, Operation: OperationRequest>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Operation
  ) -> Offer where Operation.Value == Void {
    request(id, summary, threads, make, .none) { nil }
  }

  /// An operation of settings that needs a requirement and has a result.
  public static func operation<Settings: PluginSettings, Operation: RequirementOperation>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Operation
  ) -> Offer where Operation.Requirement: PluginValue, Operation.Value: PluginValue {
    dependent(id, summary, threads, make, Operation.Value.valueType) { try ValueEncoder.encode($0) }
  }

  /// An operation of settings that needs a requirement and has no result.
  public static func operation<Settings: PluginSettings, Operation: RequirementOperation>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Operation
  ) -> Offer where Operation.Requirement: PluginValue, Operation.Value == Void {
    dependent(id, summary, threads, make, .none) { nil }
  }

  /// An operation without settings or requirement that has a result.
  public static func operation<Operation: OperationRequest>(
    _ id: String, _ summary: String, threads: Threads = .instance, _ operation: Operation
  ) -> Offer where Operation.Value: PluginValue {
    self.operation(id, summary, threads: threads) { (_: NoSettings) in operation }
  }

  /// An operation without settings, requirement or result.
  public static func operation<Operation: OperationRequest>(
    _ id: String, _ summary: String, threads: Threads = .instance, _ operation: Operation
  ) -> Offer where Operation.Value == Void {
    self.operation(id, summary, threads: threads) { (_: NoSettings) in operation }
  }

  /// An operation without settings that needs a requirement and has a result.
  public static func operation<Operation: RequirementOperation>(
    _ id: String, _ summary: String, threads: Threads = .instance, _ operation: Operation
  ) -> Offer where Operation.Requirement: PluginValue, Operation.Value: PluginValue {
    self.operation(id, summary, threads: threads) { (_: NoSettings) in operation }
  }

  /// An operation without settings or result that needs a requirement.
  public static func operation<Operation: RequirementOperation>(
    _ id: String, _ summary: String, threads: Threads = .instance, _ operation: Operation
  ) -> Offer where Operation.Requirement: PluginValue, Operation.Value == Void {
    self.operation(id, summary, threads: threads) { (_: NoSettings) in operation }
  }

  private static func request<Settings: PluginSettings, Operation: OperationRequest>(
    _ id: String, _ summary: String, _ threads: Threads,
    _ make: @escaping @Sendable (Settings) throws -> Operation, _ type: ValueType,
    _ encode: @escaping @Sendable (Operation.Value) throws -> JSONValue?
  ) -> Offer {
    Offer(.operation, id, summary, threads, types: [("result", type)]) { (link, settings: Settings) in
      let operation = try make(settings)
      return TaskInstance.operation(link) { context, _ in
        try encode(try await OperationRunner(operation, context: context).run(isolation: nil))
      }
    }
  }

  private static func dependent<Settings: PluginSettings, Operation: RequirementOperation>(
    _ id: String, _ summary: String, _ threads: Threads,
    _ make: @escaping @Sendable (Settings) throws -> Operation, _ type: ValueType,
    _ encode: @escaping @Sendable (Operation.Value) throws -> JSONValue?
  ) -> Offer where Operation.Requirement: PluginValue {
    let types = [("requirement", Operation.Requirement.valueType), ("result", type)]
    return Offer(.operation, id, summary, threads, types: types) { (link, settings: Settings) in
      let operation = try make(settings)
      return TaskInstance.operation(link) { context, requirement in
        let requirement: Operation.Requirement = try decode(requirement)
        let request = operation.requirement(requirement)
        return try encode(try await OperationRunner(request, context: context).run(isolation: nil))
      }
    }
  }

  private static func decode<Requirement: PluginValue>(_ value: JSONValue?) throws -> Requirement {
    do {
      return try ValueDecoder.decode(from: value ?? .null)
    } catch let error as DecodingError {
      throw PluginProblem("invalid-requirement", "the requirement cannot be used: \(error.sentence)")
    }
  }
}
