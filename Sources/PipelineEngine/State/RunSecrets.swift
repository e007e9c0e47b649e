import PipelineLanguage
import RunHistory
import Values

/// The secrets of a run: from the beginning those of the run around it, and its own once they have been read. A variable that holds a secret is
/// hidden from every process that was not given it.
final class RunSecrets {
  private let run: RunProgress
  /// The secrets of the run that contains this one.
  let inherited: KnownSecrets
  /// The secrets of runs that a former host had begun, which were read before any of those runs was modified.
  let former: [RunID: [String: String]]
  /// The variables that processes must not inherit.
  private(set) var hiddenVariables: Set<String>
  /// The task that runs the secrets' commands, which may wait for a person.
  private var reading: Task<KnownSecrets, any Error>?

  init(
    of run: RunProgress, inherited: KnownSecrets, former: [RunID: [String: String]], hiddenVariables: Set<String>
  ) {
    self.run = run
    self.inherited = inherited
    self.former = former
    self.hiddenVariables = hiddenVariables
  }

  /// The secrets that a nested run has to know.
  var known: KnownSecrets {
    KnownSecrets(values: Array(run.given.secrets.values) + inherited.values, masker: run.given.masker)
  }

  /// Waits for the run's own secrets; ``cancelReading()`` interrupts this.
  func take(isolation: isolated (any Actor)? = #isolation, from task: Task<KnownSecrets, any Error>) async throws {
    reading = task
    defer { reading = nil }
    let known = try await task.value
    run.given.secrets = known.own
    run.given.masker = known.masker
  }

  func cancelReading() { reading?.cancel() }

  /// Hides the variables that the pipeline's secrets come from.
  func hideVariables() { hiddenVariables.formUnion(run.pipeline.secretVariables) }

  /// Returns the result of an operation as it is passed on and kept: without secrets if the operation can receive any, otherwise unchanged.
  ///
  /// - Throws: ``OperationFailure`` with code `result-secret` if the value does not match the declared type without the secret.
  func without(_ value: JSONValue, of node: OperationNode) throws(OperationFailure) -> JSONValue {
    guard node.definition.receivesSecret, !run.given.masker.isEmpty else { return value }
    return try Self.masked(value, by: run.given.masker, as: node.definition.result)
  }

  /// Returns the value without secrets.
  ///
  /// - Throws: ``OperationFailure`` with code `result-secret` if the value does not match the declared type without the secret.
  static func masked(
    _ value: JSONValue, by masker: SecretMasker, as type: ValueType?
  ) throws(OperationFailure) -> JSONValue {
    var masked = masker.mask(value)
    // A secret that is itself JSON may span several strings and is not found in any of them.
    let text = masked.text
    let maskedText = masker.mask(text)
    if maskedText != text { masked = .string(maskedText) }
    guard masked != value, let type else { return masked }
    guard type != .file, type.mismatch(of: masked) == nil else { throw secretInResult(of: type) }
    return masked
  }

  /// Returns why a result that had to be masked cannot be kept.
  static func secretInResult(of type: ValueType) -> OperationFailure {
    OperationFailure(
      code: "result-secret",
      ownWords:
        "the result contains a secret and cannot be kept as \(type.description); leave the secret out, or declare `result: none`"
    )
  }
}
