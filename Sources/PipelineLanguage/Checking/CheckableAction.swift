import Values

/// What the checks ask of one kind of action, beyond how it is read.
protocol CheckableAction: ReadableAction {
  /// The type of the result of one run of it, as far as its own expressions do not decide that: what is known of the round before in a repetition.
  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType
  /// The type of the result of one run of it, where it fits what is declared: else that is reported. `types` are those of the operation's expressions.
  static func resultType(of operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker) -> ValueType
  /// What its result is where the file declares none.
  static var undeclaredResult: UndeclaredResult { get }
  /// Why an operation of this kind has no result; nil where only the file can have said so.
  static func reasonForNoResult(of operation: OperationDraft) -> String?
  /// Checks what else may be wrong with it.
  static func check(_ operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker)
}

extension CheckableAction {
  static func resultType(
    of operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker
  ) -> ValueType {
    knownResult(of: operation, in: checker)
  }

  static func check(_ operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker) {}
}

/// What the result of a kind of action is where the file declares none.
enum UndeclaredResult {
  /// What it prints: text, a list or an object.
  case printed
  /// What its expressions yield, of whatever type they are.
  case computed
  /// What the kind itself decides.
  case given
}
