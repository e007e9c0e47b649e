import PipelineLanguage
import RunHistory
import Values

/// What is secret in a run: from the beginning what the run around it knows, and its own secrets once they were read. A variable that holds one is hidden from
/// every process that was not given it.
final class RunSecrets {
  private let run: RunProgress
  /// What the run that contains this one knows to be secret.
  let inherited: KnownSecrets
  /// The secrets of runs that a former host had begun, which were read before any of them was touched.
  let former: [RunID: [String: String]]
  /// The variables that processes must not inherit.
  private(set) var hiddenVariables: Set<String>
  /// The secrets' commands, which may wait for somebody.
  private var reading: Task<KnownSecrets, any Error>?

  init(
    of run: RunProgress, inherited: KnownSecrets, former: [RunID: [String: String]], hiddenVariables: Set<String>
  ) {
    self.run = run
    self.inherited = inherited
    self.former = former
    self.hiddenVariables = hiddenVariables
  }

  /// What a nested run has to know.
  var known: KnownSecrets {
    KnownSecrets(values: Array(run.given.secrets.values) + inherited.values, masker: run.given.masker)
  }

  /// Waits for the run's own secrets, which ``cancelReading()`` ends.
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

  /// The result of an operation as it is handed on and kept, which is the same: without secrets where the operation can receive one, and as it is
  /// where it cannot.
  ///
  /// - Throws: ``OperationFailure`` with code `result-secret` when nothing of the declared type is left without the secret.
  func without(_ value: JSONValue, of node: OperationNode) throws(OperationFailure) -> JSONValue {
    guard node.definition.receivesSecret, !run.given.masker.isEmpty else { return value }
    return try Self.masked(value, by: run.given.masker, as: node.definition.result)
  }

  /// The value without secrets.
  ///
  /// - Throws: ``OperationFailure`` with code `result-secret` when nothing of the declared type is left without the secret.
  static func masked(
    _ value: JSONValue, by masker: SecretMasker, as type: ValueType?
  ) throws(OperationFailure) -> JSONValue {
    var masked = masker.mask(value)
    // A secret that is JSON itself is in none of the strings.
    let text = masked.text
    let maskedText = masker.mask(text)
    if maskedText != text { masked = .string(maskedText) }
    guard masked != value, let type else { return masked }
    guard type != .file, type.mismatch(of: masked) == nil else { throw secretInResult(of: type) }
    return masked
  }

  /// Why a result that had to be masked is none any more.
  static func secretInResult(of type: ValueType) -> OperationFailure {
    OperationFailure(
      code: "result-secret",
      ownWords:
        "the result contains a secret and cannot be kept as \(type.description); leave the secret out, or declare `result: none`"
    )
  }
}
