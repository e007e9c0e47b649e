/// The value and the error of an operation, with how often and when each came: what all states keep.
struct OperationOutcome<Value: Sendable, Failure: Error>: Sendable {
  private(set) var valueUpdateCount = 0
  private(set) var errorUpdateCount = 0
  private(set) var valueLastUpdatedAt: Timestamp?
  private(set) var errorLastUpdatedAt: Timestamp?
  private(set) var latestUpdate = OperationStateUpdate.none
  private(set) var value: Value
  let initialValue: Value
  private(set) var error: Failure?

  init(initialValue: Value) {
    value = initialValue
    self.initialValue = initialValue
  }

  /// Takes over a value, which clears the error, but not its count and time.
  mutating func update(to value: Value, at time: Timestamp) {
    self.value = value
    valueUpdateCount += 1
    valueLastUpdatedAt = time
    error = nil
    latestUpdate = .value
  }

  /// Takes over an error, which leaves the value as it is.
  mutating func update(throwing error: Failure, at time: Timestamp) {
    self.error = error
    errorUpdateCount += 1
    errorLastUpdatedAt = time
    latestUpdate = .error
  }

  mutating func update(with result: Result<Value, Failure>, at time: Timestamp) {
    switch result {
    case .success(let value): update(to: value, at: time)
    case .failure(let error): update(throwing: error, at: time)
    }
  }

  mutating func reset() {
    self = OperationOutcome(initialValue: initialValue)
  }
}
