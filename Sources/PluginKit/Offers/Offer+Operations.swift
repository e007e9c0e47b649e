extension Offer {
  /// Returns an operation with settings and a result, but without a requirement.
  ///
  /// Each attempt is a separate task, which is cancelled when the host stops it. An error that it throws reaches the pipeline as a
  /// ``PluginProblem``. Intermediate results that it yields stay in the plugin, as the contract has only one result; report
  /// `OperationContext.pluginProgress(_:_:)` instead.
  ///
  /// - Parameters:
  ///   - id: The id in pipeline files.
  ///   - summary: A one-line summary.
  ///   - threads: See ``Threads``.
  ///   - make: Creates the operation for one attempt. Must return at once; an error that it throws fails the attempt.
  /// - Returns: The offer.
  public static func operation<Settings: PluginSettings, Operation: OperationRequest>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Operation
  ) -> Offer where Operation.Value: PluginValue {
    request(id, summary, threads, make, Operation.Value.valueType) { try ValueEncoder.encode($0) }
  }

  /// Returns an operation with settings, but without a requirement and a result.
  public static func operation<Settings: PluginSettings, Operation: OperationRequest>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Operation
  ) -> Offer where Operation.Value == Void {
    request(id, summary, threads, make, .none) { nil }
  }

  /// Returns an operation with settings, a requirement and a result.
  public static func operation<Settings: PluginSettings, Operation: RequirementOperation>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Operation
  ) -> Offer where Operation.Requirement: PluginValue, Operation.Value: PluginValue {
    dependent(id, summary, threads, make, Operation.Value.valueType) { try ValueEncoder.encode($0) }
  }

  /// Returns an operation with settings and a requirement, but without a result.
  public static func operation<Settings: PluginSettings, Operation: RequirementOperation>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Operation
  ) -> Offer where Operation.Requirement: PluginValue, Operation.Value == Void {
    dependent(id, summary, threads, make, .none) { nil }
  }

  /// Returns an operation with a result, but without settings and a requirement.
  public static func operation<Operation: OperationRequest>(
    _ id: String, _ summary: String, threads: Threads = .instance, _ operation: Operation
  ) -> Offer where Operation.Value: PluginValue {
    self.operation(id, summary, threads: threads) { (_: NoSettings) in operation }
  }

  /// Returns an operation without settings, a requirement and a result.
  public static func operation<Operation: OperationRequest>(
    _ id: String, _ summary: String, threads: Threads = .instance, _ operation: Operation
  ) -> Offer where Operation.Value == Void {
    self.operation(id, summary, threads: threads) { (_: NoSettings) in operation }
  }

  /// Returns an operation with a requirement and a result, but without settings.
  public static func operation<Operation: RequirementOperation>(
    _ id: String, _ summary: String, threads: Threads = .instance, _ operation: Operation
  ) -> Offer where Operation.Requirement: PluginValue, Operation.Value: PluginValue {
    self.operation(id, summary, threads: threads) { (_: NoSettings) in operation }
  }

  /// Returns an operation with a requirement, but without settings and a result.
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
      throw PluginProblem("invalid-requirement", "the requirement is invalid: \(error.sentence)")
    }
  }
}
