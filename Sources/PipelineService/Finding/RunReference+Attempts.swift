import PipelineLanguage
import RunHistory
import Values

/// An error: an operation, or a whole run, does not have the requested attempt.
package struct AttemptMissing: ServiceError {
  /// The operation; nil for the whole run.
  package let operation: String?
  /// The number of attempts.
  package let attempts: Int

  package var code: String { "unknown-attempt" }

  package var description: String {
    let count = attempts == 0 ? "no attempts" : Count.of(attempts, "attempt")
    guard let operation else { return "no operation of this run has more than \(count)" }
    return "'\(TerminalText.visible(operation))' has \(count)"
  }
}

extension RunReference {
  /// Checks that the operation called `name`, or some operation if `name` is nil, has an attempt of that number.
  ///
  /// - Throws: ``AttemptMissing``, or `WorkspaceError`.
  package func requireAttempt(_ number: Int, of name: String?, in run: RunRecord) throws {
    let operations = try history.operations(of: run.id)
    let loop = operations.first { $0.name == name }?.ordinal
    // The attempts of a loop are those of its items.
    let attempts =
      operations.filter { name == nil || $0.name == name || $0.parent != nil && $0.parent == loop }
      .map(\.attempts).max() ?? 0
    guard !(1...max(1, attempts)).contains(number) || attempts == 0 else { return }
    throw AttemptMissing(operation: name, attempts: attempts)
  }
}
