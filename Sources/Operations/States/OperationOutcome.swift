/// The value and the error of an operation, with the count and time of their updates: the part common to all states.
@usableFromInline
struct OperationOutcome<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline var valueUpdateCount = 0
  @usableFromInline var errorUpdateCount = 0
  @usableFromInline var valueLastUpdatedAt: Timestamp?
  @usableFromInline var errorLastUpdatedAt: Timestamp?
  @usableFromInline var latestUpdate = OperationStateUpdate.none
  @usableFromInline var value: Value
  let initialValue: Value
  @usableFromInline var error: Failure?

  init(initialValue: Value) {
    value = initialValue
    self.initialValue = initialValue
  }

  /// Sets the value and clears the error, but not its count and time.
  @inlinable
  mutating func update(to value: Value, at time: Timestamp) {
    self.value = value
    valueUpdateCount += 1
    valueLastUpdatedAt = time
    error = nil
    latestUpdate = .value
  }

  /// Sets the error and keeps the value.
  @inlinable
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
