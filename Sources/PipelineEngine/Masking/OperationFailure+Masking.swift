import RunHistory

extension OperationFailure {
  /// Returns the failure as the history keeps it.
  func recorded(_ masker: SecretMasker) -> RecordedError {
    RecordedError(code: code, message: masked(by: masker).message)
  }

  /// Returns the failure without secrets in its message.
  func masked(by masker: SecretMasker) -> OperationFailure {
    guard !isOwnWords, !masker.isEmpty else { return self }
    var failure = self
    failure.message = masker.mask(message)
    return failure
  }
}
