/// The value and the error of an operation, with how often and when each came: what all states keep.
struct OperationOutcome<Value: Sendable, Failure: Error>: Sendable {
  private(set) var value: Value
  let initialValue: Value
  private(set) var valueUpdateCount = 0
  private(set) var valueLastUpdatedAt: Timestamp?
  private(set) var error: Failure?
  private(set) var errorUpdateCount = 0
  private(set) var errorLastUpdatedAt: Timestamp?
  private(set) var latestUpdate = OperationStateUpdate.none

  init(initialValue: Value) {
    value = initialValue
    self.initialValue = initialValue
  }

  /// A value clears the error, but not its count and time; an error keeps the value.
  mutating func update(with result: Result<Value, Failure>, at time: Timestamp) {
    switch result {
    case .success(let value):
      self.value = value
      valueUpdateCount += 1
      valueLastUpdatedAt = time
      error = nil
      latestUpdate = .value
    case .failure(let error):
      self.error = error
      errorUpdateCount += 1
      errorLastUpdatedAt = time
      latestUpdate = .error
    }
  }

  mutating func reset() {
    self = OperationOutcome(initialValue: initialValue)
  }
}
